import { z } from "zod";
import { idText, ruledText, yesOrNo } from "../../api/file-fields.js";
import { headerProblem, pathAndQuery, targetMethod } from "../../api/schemas/header-fields.js";
import {
  type BodyTemplate,
  filledBody,
  hasInexactNumber,
  templateProblems,
} from "../../domain/bulk/body-template.js";
import { hasLoneSurrogate } from "../../domain/service/transaction-values.js";

/** A request to send through a proxy, as it is frozen. */
export interface ProxyRow {
  readonly id: string;
  readonly fp_id?: string;
  readonly repeatable?: boolean;
  readonly path_and_query?: string;
  readonly method?: z.output<typeof targetMethod>;
  readonly body?: string;
}

/** A row of the file: its body may be text or JSON. */
export const requestRow = z.object({
  id: idText,
  fp_id: idText
    .refine((text) => headerProblem(text) === undefined, {
      error: "has a character that is not printable ASCII",
      params: { code: "not_ascii" },
    })
    .optional(),
  repeatable: yesOrNo.optional(),
  path_and_query: ruledText((text) => pathAndQuery.safeParse(text).success, {
    code: "not_path",
    rule: "is not a path and query such as /v1/cards?expand=true, in ASCII without spaces or a fragment",
  }).optional(),
  method: z.enum(targetMethod.options, `is not one of ${targetMethod.options.join(", ")}`).optional(),
  body: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())], "is neither text nor JSON")
    .refine((body) => !hasInexactNumber(body), {
      error: "has a number of too many digits: give the body as text",
      params: { code: "inexact_number" },
    })
    .refine((body) => typeof body !== "string" || !hasLoneSurrogate(body), {
      error: "has a lone surrogate",
      params: { code: "lone_surrogate" },
    })
    .optional(),
});

type FileRow = z.output<typeof requestRow>;

/** The rows of a file whose bodies a template makes, with any columns that it names. */
export function templateRow(template: BodyTemplate) {
  return requestRow.catchall(z.unknown()).superRefine((row, context) => {
    if (row.body !== undefined) return;
    for (const { column, code, rule } of templateProblems(template, row)) {
      const path = column === null ? [] : [column];
      context.addIssue({ code: "custom", message: rule, params: { code }, path });
    }
  });
}

/** The request of a row: its own body as text, else that of the template. */
export function requestOf(row: FileRow, template: BodyTemplate | undefined): ProxyRow {
  const { id, fp_id, repeatable, path_and_query, method, body } = row;
  const text = typeof body === "object" ? JSON.stringify(body) : body;
  const sent = text ?? (template && filledBody(template, row));
  return {
    id,
    ...(fp_id !== undefined && { fp_id }),
    ...(repeatable !== undefined && { repeatable }),
    ...(path_and_query !== undefined && { path_and_query }),
    ...(method !== undefined && { method }),
    ...(sent !== undefined && { body: sent }),
  };
}
