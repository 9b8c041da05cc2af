/** Whom an answer names, where the contract doesn't say that this is the id that was asked for. */
export interface NamedAnswer {
  readonly asked: string;
  readonly answered: string;
}

/**
 * The answers of a run that are about others than those asked for, as all of them together show: two name the same, one
 * names another that was asked for too, or some name the very id that was asked for, so that all have to. Pure.
 */
export function aboutOthers<A extends NamedAnswer>(answers: readonly A[]): A[] {
  const asked = new Set(answers.map((one) => one.asked));
  const isPromised = answers.some((one) => one.asked === one.answered);
  const named = new Map<string, number>();
  for (const { answered } of answers) named.set(answered, (named.get(answered) ?? 0) + 1);
  return answers.filter(
    ({ asked: own, answered }) =>
      answered !== own && (isPromised || asked.has(answered) || (named.get(answered) ?? 0) > 1),
  );
}
