// For `deno serve --parallel`: the same answers from several threads.
import { answer } from "./server.ts";

export default { fetch: answer } satisfies Deno.ServeDefaultExport;
