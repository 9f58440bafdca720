import { ActionIcon } from '@mantine/core';
import { type DragEvent, type KeyboardEvent, useState } from 'react';
import { t, tOf } from '../../../i18n/i18n.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { BlockSketch } from './BlockSketch.tsx';
import { type Block, type BlockType, DEFAULT_STYLE, type Design, type Place } from './document.ts';
import css from './editor.module.css';

/** What is dragged: a block of the e-mail, or a new one of a type. */
export const DRAGGED_BLOCK = 'application/x-tradeloom-block';
export const DRAGGED_TYPE = 'application/x-tradeloom-type';

export interface CanvasProps {
  design: Design;
  /** The id of the chosen block. */
  chosen: string | null;
  /** The column into which the next block is put; null: after the selected block, or at the end. */
  column: Place['inside'];
  readOnly: boolean;
  onChoose(id: string | null, column: Place['inside']): void;
  onMove(id: string, to: Place): void;
  onShift(id: string, by: -1 | 1): void;
  onInsert(type: BlockType, place: Place): void;
  onDuplicate(id: string): void;
  onRemove(id: string): void;
}

/** The e-mail as a list of blocks, in its own colors. */
export function Canvas(props: CanvasProps) {
  const { design } = props;
  const style = { ...DEFAULT_STYLE, ...design.style };
  return (
    <div className={css.canvas} style={{ background: style.background }}>
      <div className={css.sheet} style={{ background: style.canvas, color: style.text, maxWidth: style.width }}>
        <BlockList {...props} blocks={design.blocks} inside={null} label={t('editor.blocks')} />
      </div>
    </div>
  );
}

interface BlockListProps extends CanvasProps {
  blocks: Block[];
  inside: Place['inside'];
  label: string;
}

function BlockList(props: BlockListProps) {
  const { blocks, inside, label } = props;
  return (
    <ol className={css.list} aria-label={label} data-empty={blocks.length === 0 || undefined}>
      {blocks.map((block, index) => (
        <BlockItem
          key={block.id}
          {...props}
          block={block}
          place={{ inside, index }}
          last={index === blocks.length - 1}
        />
      ))}
      {props.readOnly ? null : (
        <DropPlace {...props} place={{ inside, index: blocks.length }} end={blocks.length === 0} />
      )}
    </ol>
  );
}

/** Drops what is dragged over an element at the place that `at` returns, unless it is null. */
function dropping(
  props: Pick<CanvasProps, 'onMove' | 'onInsert'>,
  at: (event: DragEvent) => Place | null,
  show: (place: Place | null) => void,
) {
  const accepts = ({ dataTransfer: { types } }: DragEvent): boolean =>
    types.includes(DRAGGED_BLOCK) || types.includes(DRAGGED_TYPE);
  return {
    onDragOver(event: DragEvent) {
      const place = accepts(event) ? at(event) : null;
      if (place === null) return;
      event.preventDefault();
      event.stopPropagation();
      show(place);
    },
    onDragLeave: () => show(null),
    onDrop(event: DragEvent) {
      const place = at(event);
      show(null);
      if (place === null) return;
      event.preventDefault();
      event.stopPropagation();
      const id = event.dataTransfer.getData(DRAGGED_BLOCK);
      const type = event.dataTransfer.getData(DRAGGED_TYPE);
      if (id !== '') props.onMove(id, place);
      else if (type !== '') props.onInsert(type as BlockType, place);
    },
  };
}

/** A drop area between two blocks; visible while something is dragged over it. */
function DropPlace({ place, end, ...props }: CanvasProps & { place: Place; end: boolean }) {
  const [over, setOver] = useState(false);
  return (
    <li
      className={css.drop}
      data-over={over || undefined}
      data-end={end || undefined}
      data-place={`${place.inside === null ? '' : `${place.inside.id}-${place.inside.column}-`}${place.index}`}
      {...dropping(
        props,
        () => place,
        (shown) => setOver(shown !== null),
      )}
    >
      {end ? <span>{place.inside === null ? t('editor.empty') : t('editor.column.empty')}</span> : null}
    </li>
  );
}

function BlockItem({ block, place, last, ...props }: BlockListProps & { block: Block; place: Place; last: boolean }) {
  const { chosen, readOnly, design, onChoose, onShift, onDuplicate, onRemove } = props;
  const [side, setSide] = useState<'before' | 'behind' | null>(null);
  const isChosen = chosen === block.id;
  const name = tOf('editor.block', block.type);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (readOnly) return;
    if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      event.preventDefault();
      onShift(block.id, event.key === 'ArrowUp' ? -1 : 1);
    } else if (event.key === 'Delete') {
      event.preventDefault();
      onRemove(block.id);
    }
  };
  return (
    <>
      {readOnly ? null : <DropPlace {...props} place={place} end={false} />}
      <li
        className={css.block}
        data-chosen={isChosen || undefined}
        data-side={side ?? undefined}
        {...(readOnly || block.type === 'columns'
          ? {}
          : dropping(
              props,
              (event) => {
                const { top, height } = event.currentTarget.getBoundingClientRect();
                return { ...place, index: place.index + (event.clientY > top + height / 2 ? 1 : 0) };
              },
              (shown) => setSide(shown === null ? null : shown.index > place.index ? 'behind' : 'before'),
            ))}
        draggable={!readOnly}
        onDragStart={(event) => {
          event.stopPropagation();
          event.dataTransfer.setData(DRAGGED_BLOCK, block.id);
          event.dataTransfer.effectAllowed = 'move';
        }}
      >
        <button
          type="button"
          id={`block-${block.id}`}
          className={css.choose}
          aria-pressed={isChosen}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Delete"
          onKeyDown={onKeyDown}
          onClick={() => onChoose(block.id, null)}
        >
          <span className="visually-hidden">{name}: </span>
          <BlockSketch block={block} style={design.style} />
        </button>
        {block.type === 'columns' ? (
          <div className={css.columns}>
            {(block.columns ?? []).map((column, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column is known by its place alone
              <div key={i} className={css.column}>
                <BlockList
                  {...props}
                  blocks={column.blocks}
                  inside={{ id: block.id, column: i }}
                  label={columnName(i)}
                />
                {readOnly ? null : (
                  <button
                    type="button"
                    className={css.into}
                    aria-pressed={props.column?.id === block.id && props.column.column === i}
                    onClick={() => onChoose(block.id, { id: block.id, column: i })}
                  >
                    {t('editor.column.into', { n: i + 1 })}
                  </button>
                )}
              </div>
            ))}
          </div>
        ) : null}
        {isChosen && !readOnly ? (
          <div className={css.tools} role="toolbar" aria-label={t('editor.tools', { name })}>
            <Tool icon="arrow-up" name={t('editor.up')} off={place.index === 0} run={() => onShift(block.id, -1)} />
            <Tool icon="arrow-down" name={t('editor.down')} off={last} run={() => onShift(block.id, 1)} />
            <Tool icon="copy" name={t('editor.duplicate')} run={() => onDuplicate(block.id)} />
            <Tool icon="x" name={t('editor.delete')} run={() => onRemove(block.id)} />
          </div>
        ) : null}
      </li>
    </>
  );
}

const columnName = (i: number): string => t('editor.column', { n: i + 1 });

function Tool({
  icon,
  name,
  off,
  run,
}: {
  icon: 'arrow-up' | 'arrow-down' | 'copy' | 'x';
  name: string;
  off?: boolean;
  run(): void;
}) {
  return (
    <ActionIcon size="md" variant="default" aria-label={name} title={name} disabled={off} onClick={run}>
      <Icon name={icon} size={14} />
    </ActionIcon>
  );
}
