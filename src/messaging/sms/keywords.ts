/** The keyword of an inbound SMS. Pure. */
export type KeywordAction = 'stop' | 'start' | 'help';

/** Keywords of carriers. A sentence that starts with one of the first three also counts as an opt-out, to be safe. */
const STOP_FIRST = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE']);
const STOP_ALONE = new Set(['CANCEL', 'END', 'QUIT']);
const START = new Set(['START', 'UNSTOP']);
const HELP = new Set(['HELP', 'INFO']);

/** @param stopWords the company's own words, case-insensitive. Returns null for a message without a keyword. */
export function keywordOf(text: string, stopWords: readonly string[]): KeywordAction | null {
  const words = text
    .slice(0, 1_600)
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const [first] = words;
  if (first === undefined) return null;
  if (STOP_FIRST.has(first) || stopWords.some((word) => word.toUpperCase() === first)) return 'stop';
  if (words.length > 1) return null;
  if (STOP_ALONE.has(first)) return 'stop';
  if (START.has(first)) return 'start';
  return HELP.has(first) ? 'help' : null;
}
