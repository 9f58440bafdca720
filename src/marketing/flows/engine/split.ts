/** FNV-1a with a final mix, 32 bits: the same for the same text on every machine. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * The variant of a contact, by weight: always the same one for the same step, in every run. Variants of different steps
 * are independent of each other.
 */
export function pickVariant(
  variants: readonly { key: string; weight: number }[],
  step: { flowId: number; stepId: string },
  contactId: number,
): string {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  let point = (hash(`${step.flowId}:${step.stepId}:${contactId}`) / 0x1_0000_0000) * total;
  for (const { key, weight } of variants) {
    if (point < weight) return key;
    point -= weight;
  }
  throw new Error('No variant has a weight');
}
