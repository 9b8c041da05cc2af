// Loaded before any workflow (`build-bundle.ts`). The SDK captures the stack of every promise of a workflow, for a query
// that nobody here uses: with V8's ten frames that was a quarter of a customer's CPU in the workflow thread.
Error.stackTraceLimit = 3;
