import { type ESTree, parseSync, Visitor } from 'vite';
import { type Edit, sqlEdits } from './sql-mutations.ts';

/** One change of one file that a test should notice. */
export interface Mutant {
  path: string;
  /** The number of the line, from 1. */
  line: number;
  /** The line, trimmed, before and after. */
  before: string;
  after: string;
  /** The whole file after the change. */
  text: string;
}

type Node = { start: number; end: number };

const FLIPPED: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '+=': '-=',
  '-=': '+=',
};

/** Methods that have an opposite. */
const OPPOSITES: Record<string, string> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  find: 'findLast',
  findLast: 'find',
};

/** Methods whose result is as good as what they were called on, for the compiler. */
const DROPPED = new Set(['filter', 'sort', 'toSorted', 'reverse', 'trim', 'toLowerCase', 'toUpperCase', 'slice']);

/** What the program says about its work changes nothing that it does. */
const SAYS = /^(await )?[\w.]*\b(log|logger|say|metrics?)[.(]/;

/** Returns every mutant of a source file, in the order of their places. */
export function mutantsOf(path: string, text: string): Mutant[] {
  const edits = path.endsWith('.sql') ? sqlEdits(text) : codeEdits(path, text);
  edits.sort((a, b) => a.start - b.start || a.end - b.end);
  return edits.map((edit) => mutantOf(path, text, edit)).filter(({ before, after }) => before !== after);
}

function codeEdits(path: string, text: string): Edit[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]!.message}`);
  const edits: Edit[] = [];
  const change = ({ start, end }: Node, replacement: string): void => {
    edits.push({ start, end, replacement });
  };
  const source = ({ start, end }: Node): string => text.slice(start, end);
  /** Replaces the operator between two operands. */
  const flip = (left: Node, right: Node, operator: string): void => {
    const flipped = FLIPPED[operator];
    const at = text.indexOf(operator, left.end);
    if (flipped !== undefined && at < right.start) change({ start: at, end: at + operator.length }, flipped);
  };
  /** A comparison is turned around by its operator, and a negation by leaving it away. */
  const negate = (test: ESTree.Expression): void => {
    if (test.type === 'UnaryExpression' || (test.type === 'BinaryExpression' && /^[!=]==$/.test(test.operator))) return;
    change(test, `!(${source(test)})`);
  };
  const isText = ({ type }: ESTree.Expression | ESTree.PrivateIdentifier): boolean => type === 'TemplateLiteral';
  /** Where numbers and booleans stay as they are. */
  const fixed = namedConstants(program);

  new Visitor({
    BinaryExpression(node) {
      if (node.operator !== '+') return flip(node.left, node.right, node.operator);
      const texts = [node.left, node.right].some((side) => isText(side) || /^['"]/.test(source(side)));
      if (texts) return;
      const at = text.indexOf('+', node.left.end);
      change({ start: at, end: at + 1 }, '-');
    },
    LogicalExpression(node) {
      change({ start: node.left.end, end: node.end }, '');
      if (node.operator !== '??') flip(node.left, node.right, node.operator);
    },
    AssignmentExpression(node) {
      flip(node.left, node.right, node.operator);
    },
    UnaryExpression(node) {
      if (node.operator === '!' || node.operator === '-') change(node, source(node.argument));
    },
    IfStatement(node) {
      negate(node.test);
      change(node.test, 'false');
    },
    ConditionalExpression(node) {
      negate(node.test);
    },
    WhileStatement(node) {
      if (source(node.test) !== 'true') change(node.test, 'false');
    },
    ContinueStatement(node) {
      change(node, '{}');
    },
    TSTypeAliasDeclaration(node) {
      fixed.push(node);
    },
    TSInterfaceDeclaration(node) {
      fixed.push(node);
    },
    TSTypeAnnotation(node) {
      fixed.push(node);
    },
    TSLiteralType(node) {
      fixed.push(node);
    },
    Literal(node) {
      const { value } = node;
      if (fixed.some(({ start, end }) => start <= node.start && node.end <= end)) return;
      if (typeof value === 'boolean') change(node, String(!value));
      else if (typeof value === 'number') change(node, String(value === 1 ? 2 : value + 1));
    },
    ExpressionStatement(node) {
      const code = source(node);
      if (/^['"]|^super\(/.test(code) || SAYS.test(code)) return;
      change(node, '{}');
    },
    ThrowStatement(node) {
      change(node, '{}');
    },
    CallExpression(node) {
      const { callee } = node;
      if (callee.type !== 'MemberExpression' || callee.computed) return;
      const name = source(callee.property);
      if (Object.hasOwn(OPPOSITES, name)) change(callee.property, OPPOSITES[name]!);
      else if (DROPPED.has(name)) change({ start: callee.object.end, end: node.end }, '');
    },
    TaggedTemplateExpression(node) {
      if (/^sql$/.test(source(node.tag))) shift(sqlEdits(source(node.quasi)), node.quasi.start);
    },
    TemplateLiteral(node) {
      // Statements of migrations and of the barrier are untagged.
      const code = source(node);
      if (
        text[node.start - 1] !== 'l' &&
        /^`\s*(?:(?:select|update|insert|delete|alter|create)\b|do \$\$)/.test(code)
      ) {
        shift(sqlEdits(code), node.start);
      }
    },
  }).visit(program);
  return edits;

  function shift(found: Edit[], by: number): void {
    for (const { start, end, replacement } of found) change({ start: start + by, end: end + by }, replacement);
  }
}

/** Returns the values of constants like `POLL_MS`: figures that were chosen, of which no other is wrong. */
function namedConstants(program: ESTree.Program): Node[] {
  return program.body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type !== 'VariableDeclaration') return [];
    return declared.declarations.filter(
      ({ id, init }) => init !== null && id.type === 'Identifier' && /^[A-Z_0-9]+$/.test(id.name),
    );
  });
}

function mutantOf(path: string, text: string, { start, end, replacement }: Edit): Mutant {
  const changed = text.slice(0, start) + replacement + text.slice(end);
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const first = /\S/.exec(text.slice(start, end))?.index ?? 0;
  const line = text.slice(0, start + first).split('\n').length;
  const lineStart = Math.max(from, text.lastIndexOf('\n', start + first - 1) + 1);
  const lineEnd = ends(text, Math.max(end, start + first));
  return {
    path,
    line,
    before: shown(text.slice(Math.min(from, lineStart), lineEnd)),
    after: shown(changed.slice(from, lineEnd + replacement.length - (end - start))),
    text: changed,
  };
}

function ends(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** A text in one line. */
function shown(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
