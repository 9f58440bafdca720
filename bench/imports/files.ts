import { Buffer } from 'node:buffer';
import { FIRST_NAMES, LAST_NAMES } from '../names.ts';

export type FileKind = 'contacts' | 'products';

/** Rows per piece of the file. */
const PIECE = 5_000;
const TAGS = ['vip', 'newsletter', 'store', 'wholesale', 'blog'];
const CATEGORIES = ['Cups', 'Plates', 'Bowls', 'Glasses', 'Cutlery'];

const HEADER: Record<FileKind, string> = {
  contacts: 'email,first name,last name,phone,tags,consent',
  products: 'name,sku,price,stock,description,categories,images',
};

/**
 * Generates a file like that of a shop that migrates here: every third contact with a phone number, every second with
 * tags; products with the addresses of two pictures.
 */
export function* linesOf(kind: FileKind, rows: number): Generator<Buffer> {
  yield Buffer.from(`${HEADER[kind]}\n`);
  for (let from = 0; from < rows; from += PIECE) {
    const count = Math.min(PIECE, rows - from);
    const lines = Array.from({ length: count }, (_, i) => ROW[kind](from + i));
    yield Buffer.from(`${lines.join('\n')}\n`);
  }
}

const ROW: Record<FileKind, (n: number) => string> = {
  contacts(n) {
    const first = FIRST_NAMES[n % FIRST_NAMES.length]!;
    const last = LAST_NAMES[(n * 7) % LAST_NAMES.length]!;
    const email = `${first}.${last}.${scrambled(n)}@${n % 3 === 0 ? 'mail.example.org' : 'example.com'}`;
    const phone = n % 3 === 0 ? `+31 6 ${String(10_000_000 + n)}` : '';
    const tags = n % 2 === 0 ? `"${TAGS[n % 5]},${TAGS[(n + 1) % 5]}"` : '';
    return `${email},${first},${last},${phone},${tags},${n % 10 === 0 ? 'no' : 'yes'}`;
  },
  products(n) {
    const name = `${FIRST_NAMES[n % 12]} ${CATEGORIES[n % 5]!.toLowerCase()} ${scrambled(n)}`;
    const category = `"${CATEGORIES[n % 5]}, Series ${n % 40}"`;
    const images = `"https://cdn.example.com/${scrambled(n)}/front.jpg, https://cdn.example.com/${scrambled(n)}/back.jpg"`;
    const text = `Made by hand and fired twice: number ${n}`;
    return `${name},SKU-${n},${(n % 900) + 9}.95,${n % 500},${text},${category},${images}`;
  },
};

/** Maps numbers one to one, in no order that an index could profit from. */
function scrambled(n: number): string {
  return ((Math.imul(n, 2_654_435_761) >>> 0) + 4_294_967_296).toString(36).slice(1);
}
