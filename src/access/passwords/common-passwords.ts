import { COMMON_PASSWORDS } from './common-password-list.ts';

/**
 * Whether guessing would begin with this password, in whatever case.
 * @param names what a password must not consist of: the shop's name, for one
 */
export function isCommonPassword(password: string, names: readonly string[] = []): boolean {
  const text = password.normalize('NFKC').toLowerCase();
  if (COMMON_PASSWORDS.has(text) || /^[\s\p{C}]*$/u.test(text)) return true;
  const letters = lettersOf(text).replace(/^\d+|\d+$/g, '');
  return [PRODUCT, ...names].some((name) => isMadeOf(letters, lettersOf(name.normalize('NFKC').toLowerCase())));
}

const PRODUCT = 'Tradeloom';
/** With fewer letters nearly every password would be made of it. */
const SHORTEST_NAME = 3;

/** Once or again and again; figures around it and signs between are what guessing tries next. */
function isMadeOf(letters: string, name: string): boolean {
  return name.length >= SHORTEST_NAME && letters !== '' && letters.replaceAll(name, '') === '';
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
