/** What a run tells of how far it is. */
interface ToldProgress {
  readonly usersTotal: number;
  readonly usersDone: number;
  readonly linksFound: number;
}

/** Links that there will be in the end, where users not looked at yet have as many as the others. Pure. */
export function expectedLinks({ usersTotal, usersDone, linksFound }: ToldProgress): number {
  return usersDone === 0 ? linksFound : Math.round((linksFound * usersTotal) / usersDone);
}
