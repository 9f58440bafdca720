import { runningSpan, type Span, startSpan } from '../../lib/tracing/spans.ts';

/** Maximum length of a statement's text in a span, in characters. */
const MOST_TEXT = 1_000;
const OPERATION = /^(?:\s|--.*\n)*([a-z]+)/i;

/**
 * A span for statements sent to the database together, up to their response. The texts of statements have placeholders
 * for values. Null where the running work is not traced.
 */
export function statementsSpan(statements: readonly { text: string }[]): Span | null {
  if (runningSpan() === null) return null;
  const operations = statements.map(({ text }) => OPERATION.exec(text)?.[1]?.toLowerCase() ?? 'statement');
  const size = statements.length;
  return startSpan(size === 1 ? operations[0]! : 'batch', {
    kind: 'client',
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': size === 1 ? operations[0]! : `batch ${[...new Set(operations)].join(' ')}`,
      'db.query.text': statements
        .map(({ text }) => text.trim())
        .join(';\n')
        .slice(0, MOST_TEXT),
      ...(size > 1 ? { 'db.operation.batch.size': size } : {}),
    },
  });
}
