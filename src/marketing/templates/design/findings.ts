import { tagsIn } from '../../../messaging/compose/links/html.ts';
import type { Finding } from '../../../messaging/compose/warnings/findings.ts';
import type { Design, DesignLeaf } from './schema.ts';

const BUTTON: ReadonlySet<string> = new Set(['mj-button']);
const HREF: ReadonlySet<string> = new Set(['href']);

/**
 * Finds what the writer of a marketing e-mail left empty, which its rendered form does not show: such blocks are left out of it.
 * @param address the postal address of the brand kit: content without a design is expected to have it
 */
export function emptyParts(
  { content, design }: { content: string; design: Design | null },
  address: string | null,
): Finding[] {
  const blocks = design === null ? [] : leavesOf(design);
  const buttons =
    design === null ? unlinkedIn(content) : blocks.filter(isUnlinked).map(({ text }) => text!.slice(0, 200));
  return [
    ...(blocks.some(({ type, code }) => type === 'coupon' && !code) ? [finding('empty_coupon', null)] : []),
    ...[...new Set(buttons)].slice(0, 10).map((label) => finding('button_without_link', label)),
    ...(hasAddress(content, design, address) ? [] : [finding('no_postal_address', null)]),
  ];
}

function finding(code: Finding['code'], detail: string | null): Finding {
  return { code, field: 'content', detail, suggestion: null };
}

function leavesOf({ blocks }: Design): DesignLeaf[] {
  return blocks.flatMap(({ type, columns = [], ...block }) =>
    type === 'columns' ? columns.flatMap((column) => column.blocks) : [{ ...block, type }],
  );
}

function isUnlinked({ type, text, url, product }: DesignLeaf): boolean {
  if (!text?.trim()) return false;
  return (type === 'button' && !url?.trim()) || (type === 'product' && product !== undefined && !product.url?.trim());
}

/** Buttons of MJML have no name here: their text is not read. */
function unlinkedIn(content: string): null[] {
  const tags = [...tagsIn(content, BUTTON, HREF)];
  return tags.some(({ attributes }) => !attributes.get('href')?.trim()) ? [null] : [];
}

function hasAddress(content: string, design: Design | null, address: string | null): boolean {
  const wanted = lettersOf(address?.trim().split('\n')[0] ?? '');
  if (wanted !== '' && lettersOf(content).includes(wanted)) return true;
  if (design === null) return wanted === '';
  return leavesOf(design).some((block) => block.type === 'footer' && (block.address ?? '').trim() !== '');
}

/** Without entities, punctuation and case, in which the same address may differ. */
function lettersOf(text: string): string {
  return text
    .replace(/&#?\w{1,10};/g, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}
