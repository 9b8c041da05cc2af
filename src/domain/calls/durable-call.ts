/** `_staging/calls/<name>/`: where the request of a durable call and its answer are staged. */
export function durableCallPrefix(name: string): string {
  return `_staging/calls/${name}/`;
}

/** `call/<scope>/<name>`; the name is made of the request's id, which may say something about people. */
export function callWorkflowId(scope: string, name: string): string {
  return `call/${scope}/${name}`;
}
