const FORM = /^([!-9;-~]+)(?::v([1-9]\d{0,8}))?$/;

/** Reads `<key>` or `<key>:v<n>` (docs/reference/service.md, "Versions"). */
export function parsePlaybookKey(
  text: string,
): { readonly playbook: string; readonly version?: number } | undefined {
  const [, playbook, version] = FORM.exec(text) ?? [];
  if (playbook === undefined) return undefined;
  return version === undefined ? { playbook } : { playbook, version: Number(version) };
}
