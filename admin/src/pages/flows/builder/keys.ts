import type { KeyboardEvent } from 'react';
import { TRIGGER, targetOf, type Way, waysOf } from '../model/draft.ts';
import { positionsOf } from '../model/layout.ts';
import { type Direction, nextIn } from '../model/moving.ts';
import type { Builder } from './useBuilder.ts';

const ARROWS: Record<string, Direction> = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' };
const STEP = 20;

/** Where a step is added by default: the first unconnected branch of the focused step, else its first. */
export function placeFor({ at, draft }: Builder): Way | null {
  const ways = waysOf(draft, at);
  const branch = ways.find((one) => targetOf(draft, at, one) === null) ?? ways[0];
  return branch === undefined ? null : { from: at, branch };
}

export function removeSelected(builder: Builder): void {
  const { draft, selected } = builder;
  const [first] = selected;
  if (first === undefined) return;
  const before = draft.connections.find(({ from, to }) => to === first && !selected.includes(from))?.from;
  builder.run({ do: 'remove', ids: selected });
  builder.goTo(before ?? TRIGGER);
}

/** Handles keys on the drawing, starting from the focused step. */
export function onCanvasKey(event: KeyboardEvent, builder: Builder, openPanel: () => void): void {
  const direction = ARROWS[event.key];
  const handled = (act: () => void): void => {
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  if (direction !== undefined && (event.altKey || event.shiftKey)) {
    if (event.altKey && !builder.readOnly) handled(() => nudge(builder, direction));
    else if (event.shiftKey) handled(() => extend(builder, direction));
    return;
  }
  if (direction !== undefined) {
    const next = nextIn(positionsOf(builder.draft), builder.at, direction);
    handled(() => (next === null ? undefined : builder.goTo(next)));
    return;
  }
  if (event.key === 'Home') handled(() => builder.goTo(TRIGGER));
  else if (event.key === 'Enter') handled(openPanel);
  if (event.ctrlKey || event.metaKey || builder.readOnly) return;
  if (event.key === 'a' || event.key === 'Insert') handled(() => builder.pick(placeFor(builder)));
  else if (event.key === 'A') handled(() => void builder.run({ do: 'arrange' }));
  else if (event.key === 'Delete' || event.key === 'Backspace') handled(() => removeSelected(builder));
}

function nudge(builder: Builder, direction: Direction): void {
  const positions = positionsOf(builder.draft);
  const moved = new Set(builder.selected);
  const [x, y] = { up: [0, -STEP], down: [0, STEP], left: [-STEP, 0], right: [STEP, 0] }[direction] as [number, number];
  const next = Object.entries(positions).filter(([id]) => id !== TRIGGER);
  builder.run(
    {
      do: 'move',
      positions: Object.fromEntries(next.map(([id, at]) => [id, moved.has(id) ? { x: at.x + x, y: at.y + y } : at])),
    },
    'nudge',
  );
}

/** Adds the next step in a direction to the selection. */
function extend(builder: Builder, direction: Direction): void {
  const next = nextIn(positionsOf(builder.draft), builder.at, direction);
  if (next === null || next === TRIGGER) return;
  const { selected } = builder;
  builder.goTo(next);
  builder.select([...new Set([...selected, next])]);
}
