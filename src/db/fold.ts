import { withoutMarks } from '../lib/letters/letters.ts';

/**
 * Returns the text as searches compare it: lower case, without accents, compatibility forms replaced, white space
 * collapsed and trimmed. Both the contents of a `search` column and the text searched for pass through here.
 */
export function foldText(text: string): string {
  const plain = isPlainAscii(text) ? text.toLowerCase() : withoutMarks(text).toLowerCase().normalize('NFC');
  return plain.replace(/\s+/g, ' ').trim();
}

function isPlainAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
