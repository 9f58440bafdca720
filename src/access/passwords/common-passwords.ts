import { COMMON_PASSWORDS } from './common-password-list.ts';

/**
 * Whether attackers would guess this password first, in any case.
 * @param names what a password must not consist of, such as the shop's name
 */
export function isCommonPassword(password: string, names: readonly string[] = []): boolean {
  const text = password.normalize('NFKC').toLowerCase();
  if (COMMON_PASSWORDS.has(text) || /^[\s\p{C}]*$/u.test(text)) return true;
  const letters = lettersOf(text).replace(/^\d+|\d+$/g, '');
  return [PRODUCT, ...names].some((name) => isMadeOf(letters, lettersOf(name.normalize('NFKC').toLowerCase())));
}

const PRODUCT = 'Tradeloom';
/** With fewer letters, almost every password would consist of it. */
const SHORTEST_NAME = 3;

/** The name once or repeated; attackers also try digits around it and punctuation in between. */
function isMadeOf(letters: string, name: string): boolean {
  return name.length >= SHORTEST_NAME && letters !== '' && letters.replaceAll(name, '') === '';
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
