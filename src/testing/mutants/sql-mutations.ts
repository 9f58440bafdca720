/** A piece of a text and what takes its place. */
export interface Edit {
  start: number;
  end: number;
  replacement: string;
}

/** A value in a statement: `${…}`, a column, a number, a quoted text, each perhaps cast or called. */
const VALUE = String.raw`(?:\$\{[^{}]*\}|'[^']*'|[\w.]+\([^()]*\)|[\w.]+)(?:::\w+(?:\[\])?)?`;
const CONDITION = String.raw`(?:${VALUE}\s*(?:<=|>=|<>|=|<|>)\s*${VALUE}|${VALUE} is (?:not )?null|not [\w.]+|exists \([^()]*\))`;

type Rule = [RegExp, (match: RegExpExecArray) => string];

/** Each rule finds a piece of SQL and says what takes its place. Lower-case words, as statements are written here. */
const RULES: Rule[] = [
  [/(?<![<>=!-])>=(?!=)/g, () => '>'],
  [/(?<![<>=!-])<=(?!=)/g, () => '<'],
  [/(?<![<>=!-])>(?![>=])/g, () => '>='],
  [/(?<![<>=!-])<(?![<>=])/g, () => '<='],
  [/<>/g, () => '='],
  [/ is distinct from /g, () => ' is not distinct from '],
  [/ is not null\b/g, () => ' is null'],
  [/ is null\b/g, () => ' is not null'],
  [/\bnot exists\b/g, () => 'exists'],
  [/(?<!not )(?<!if )\bexists \(/g, () => 'not exists ('],
  [/\bgreatest\(/g, () => 'least('],
  [/\bleast\(/g, () => 'greatest('],
  [/\bmin\(/g, () => 'max('],
  [/\bmax\(/g, () => 'min('],
  [/ - (?=[\w$])/g, () => ' + '],
  [/ \+ (?=[\w$])/g, () => ' - '],
  [/ for (?:no key )?update\b/g, () => ''],
  [/\b(?:distinct) (?!from\b)(?!on\b)/g, () => ''],
  [/\bleft join\b/g, () => 'join'],
  [/\bunion all\b/g, () => 'union'],
  [/ desc\b/g, () => ''],
  [/\btrue\b/g, () => 'false'],
  [/\bfalse\b/g, () => 'true'],
  [/\bwith check \((?!true\)).+?\)(?=')/g, () => 'with check (true)'],
  [/(\border by [\w.]+)(?! desc| asc|[\w.(])/g, ([, by]) => `${by} desc`],
  [/\b(?:grant|revoke) (?!all\b)[^;'`]+;/g, () => ''],
  // Conditions are dropped one by one.
  [new RegExp(String.raw`\s+and ${CONDITION}(?=\s|\)|;|$|\`)`, 'g'), () => ''],
  [new RegExp(String.raw`(\bwhere )${CONDITION}\s+and (?!not exists)`, 'g'), ([, where]) => where!],
  [new RegExp(String.raw`\s+where ${CONDITION}(?=\s*(?:\)|;|$|\`|order by|limit|for update))`, 'g'), () => ''],
  [new RegExp(` or (?=${CONDITION})`, 'g'), () => ' and '],
];

/** The company's own rows: behind row-level security the statement does the same without it. */
const OF_COMPANY = /company_id = /;

/** Returns the ways in which one piece of this SQL can be changed. */
export function sqlEdits(text: string): Edit[] {
  const edits: Edit[] = [];
  const splices = [...text.matchAll(/\$\{[^{}]*\}/g)].map(({ index, 0: whole }) => [index, index + whole.length]);
  const comments = [...text.matchAll(/--[^\n]*/g)].map(({ index, 0: whole }) => [index, index + whole.length]);
  const isInside = (at: number): boolean => [...splices, ...comments].some(([from, to]) => at > from! && at < to!);
  for (const [pattern, become] of RULES) {
    for (const match of text.matchAll(pattern)) {
      const whole = match[0];
      const replacement = become(match as RegExpExecArray);
      if (
        isInside(match.index) ||
        (!replacement.includes('check') && replacement.length < whole.length - 3 && OF_COMPANY.test(whole))
      )
        continue;
      edits.push({ start: match.index, end: match.index + whole.length, replacement });
    }
  }
  return edits;
}
