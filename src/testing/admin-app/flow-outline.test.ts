import { describe, expect, test } from 'vitest';
import { outlineOf } from '../../../admin/src/pages/flows/outline.ts';

const step = (step_id: string) => ({ step_id, type: 'add_tag' as const, config: { tag: step_id } });
const shown = (steps: string[], connections: { from: string; to: string; branch?: string }[]) => {
  const { lines, loose } = outlineOf({ steps: steps.map(step), connections });
  return [
    ...lines.map(
      ({ step: { step_id }, branch, depth, again }) => `${depth} ${branch ?? '-'} ${step_id}${again ? ' again' : ''}`,
    ),
    ...loose.map(({ step_id }) => `loose ${step_id}`),
  ];
};

describe('the outline of a flow', () => {
  test('puts one step below the other, and branches below their step', () => {
    const connections = [
      { from: 'trigger', to: 'a' },
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c', branch: 'received' },
      { from: 'b', to: 'd', branch: 'timeout' },
      { from: 'c', to: 'e' },
      { from: 'd', to: 'e' },
    ];
    expect(shown(['a', 'b', 'c', 'd', 'e'], connections)).toEqual([
      ...['0 - a', '0 - b', '1 received c', '1 - e', '1 timeout d', '1 - e again'],
    ]);
  });

  test('ends where steps lead back, and names what nothing leads to', () => {
    const connections = [
      { from: 'trigger', to: 'a' },
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
      { from: 'b', to: 'gone' },
    ];
    expect(shown(['a', 'b', 'c'], connections)).toEqual(['0 - a', '0 - b', '0 - a again', 'loose c']);
  });
});
