import { runningSpan, type Span, startSpan } from '../../lib/tracing/spans.ts';

/** Characters of statements that a span keeps. */
const MOST_TEXT = 1_000;
const OPERATION = /^(?:\s|--.*\n)*([a-z]+)/i;

/**
 * What is sent to the database together, up to its response. The texts of statements have placeholders where values stand.
 * Null where nothing that runs is traced.
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
