import type { TSchema } from 'typebox';
import { type JsonSchema, plainSchema } from '../api/plain-schema.ts';
import { exampleValuesOf } from './example-values.ts';
import { bodyExampleOf } from './examples.ts';

/** A request that the program sends to URLs of a company. */
export interface Webhook {
  /** The event type, used as its name. */
  name: string;
  summary: string;
  tag: string;
  /** The body. */
  body: TSchema;
  headers: readonly { name: string; description: string; schema: JsonSchema }[];
  /** What happens after a response that is not a success. */
  retries: string;
}

/** Returns the `webhooks` section of an OpenAPI document, by name. */
export function webhooksOf(webhooks: readonly Webhook[]): Record<string, object> {
  return Object.fromEntries(webhooks.map((webhook) => [webhook.name, { post: operationOf(webhook) }]));
}

function operationOf({ name, summary, tag, body, headers, retries }: Webhook): object {
  const schema = plainSchema(body);
  return {
    operationId: `webhook_${name}`,
    tags: [tag],
    summary,
    security: [],
    parameters: headers.map((header) => ({ ...header, in: 'header', required: true })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema, example: bodyExampleOf(schema, exampleValuesOf(tag)) } },
    },
    responses: {
      '2XX': { description: 'The event is accepted. The body is ignored.' },
      '4XX': { description: retries },
      '5XX': { description: retries },
    },
  };
}
