/** An exact amount without the zeros after its second decimal: `-4.20`, `0.0000000001`. */
export function shortAmount(amount: string | null): string {
  if (amount === null) return "no amount";
  return amount.replace(/(\.\d\d\d*?)0+$/, "$1");
}
