import { Button, VisuallyHidden } from '@mantine/core';
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { t, tOf } from '../../../i18n/i18n.ts';
import { Section } from '../../../ui/DetailPage.tsx';
import { BlockPanel } from './BlockPanel.tsx';
import { newBlock } from './blank.ts';
import { useBrand } from './brand.ts';
import { Canvas, DRAGGED_TYPE } from './Canvas.tsx';
import * as doc from './document.ts';
import css from './editor.module.css';
import { StylePanel } from './StylePanel.tsx';

interface BlocksProps {
  design: doc.Design;
  readOnly: boolean;
  change(what: string, next: (design: doc.Design) => doc.Design): void;
  undo(): void;
  redo(): void;
  canUndo: boolean;
  canRedo: boolean;
}

/** Palette, blocks and the fields of the chosen one. */
export function Blocks({ design, readOnly, change, undo, redo, canUndo, canRedo }: BlocksProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [column, setColumn] = useState<doc.Place['inside']>(null);
  const [said, setSaid] = useState('');
  const brand = useBrand();
  const block = chosen === null ? null : doc.blockOf(design, chosen);

  const toFocus = useRef<string | null>(null);
  // Before the next key is pressed: with the focus on the page, it would not arrive here.
  useLayoutEffect(() => {
    if (toFocus.current === null) return;
    document.getElementById(`block-${toFocus.current}`)?.focus();
    toFocus.current = null;
  });
  const focus = (id: string): void => {
    toFocus.current = id;
  };
  const insert = (type: doc.BlockType, place: doc.Place): void => {
    const made = newBlock(type, brand);
    change('', (now) => doc.inserted(now, made, place));
    setChosen(made.id);
    setSaid(t('editor.said.added', { name: tOf('editor.block', type) }));
    focus(made.id);
  };
  /** Where the palette puts a block: in the selected column, after the selected block, or before the footer. */
  const placeFor = (type: doc.BlockType): doc.Place => {
    if (column !== null && type !== 'columns')
      return { inside: column, index: doc.listAt(design, { inside: column }).length };
    const at = chosen === null ? null : doc.placeOf(design, chosen);
    if (at !== null && doc.mayStand(type, at)) return { ...at, index: at.index + 1 };
    if (at?.inside) return { inside: null, index: (doc.placeOf(design, at.inside.id)?.index ?? 0) + 1 };
    const end = design.blocks.length;
    return { inside: null, index: design.blocks.at(-1)?.type === 'footer' && type !== 'footer' ? end - 1 : end };
  };
  const shift = (id: string, by: -1 | 1): void => {
    const next = doc.shifted(design, id, by);
    if (next === design) return;
    change('', () => next);
    const place = doc.placeOf(next, id);
    const of = place === null ? 0 : doc.listAt(next, place).length;
    setSaid(t('editor.said.moved', { n: (place?.index ?? 0) + 1, of }));
    focus(id);
  };
  const remove = (id: string): void => {
    const place = doc.placeOf(design, id);
    const next = doc.removed(design, id);
    change('', () => next);
    const beside = place === null ? [] : doc.listAt(next, place);
    const near = beside[Math.min(place?.index ?? 0, beside.length - 1)];
    setChosen(near?.id ?? null);
    setColumn(null);
    setSaid(t('editor.said.removed'));
    if (near !== undefined) focus(near.id);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (readOnly || !(event.ctrlKey || event.metaKey)) return;
    const key = event.key.toLowerCase();
    if (key !== 'z' && key !== 'y') return;
    event.preventDefault();
    if (key === 'y' || event.shiftKey) redo();
    else undo();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: shortcuts for what its buttons do
    <div className={css.editor} onKeyDown={onKeyDown}>
      <VisuallyHidden role="status" aria-live="polite">
        {said}
      </VisuallyHidden>
      {readOnly ? null : (
        <div className={css.palette}>
          <Section title={t('editor.palette')}>
            <p className={css.hint}>{t('editor.palette.help')}</p>
            <div className={css.types}>
              {doc.BLOCK_TYPES.map((type) => (
                <Button
                  key={type}
                  size="xs"
                  variant="default"
                  draggable
                  onDragStart={(event) => {
                    event.dataTransfer.setData(DRAGGED_TYPE, type);
                    event.dataTransfer.effectAllowed = 'copy';
                  }}
                  onClick={() => insert(type as doc.BlockType, placeFor(type as doc.BlockType))}
                >
                  {tOf('editor.block', type)}
                </Button>
              ))}
            </div>
          </Section>
        </div>
      )}
      <div className={css.middle}>
        {readOnly ? null : (
          <div className={css.bar} role="toolbar" aria-label={t('editor.history')}>
            <Button size="compact-sm" variant="default" disabled={!canUndo} onClick={undo}>
              {t('editor.undo')}
            </Button>
            <Button size="compact-sm" variant="default" disabled={!canRedo} onClick={redo}>
              {t('editor.redo')}
            </Button>
            <span className="grow" />
            <Button
              size="compact-sm"
              variant={chosen === null ? 'light' : 'default'}
              aria-pressed={chosen === null}
              onClick={() => {
                setChosen(null);
                setColumn(null);
              }}
            >
              {t('editor.style')}
            </Button>
          </div>
        )}
        <Canvas
          design={design}
          chosen={chosen}
          column={column}
          readOnly={readOnly}
          onChoose={(id, into) => {
            setChosen(id);
            setColumn(into);
          }}
          onMove={(id, to) => {
            change('', (now) => doc.moved(now, id, to));
            setChosen(id);
          }}
          onShift={shift}
          onInsert={insert}
          onDuplicate={(id) => {
            const copy = doc.duplicated(design, id);
            change('', () => copy.design);
            setChosen(copy.id);
            focus(copy.id);
          }}
          onRemove={remove}
        />
      </div>
      {readOnly ? null : (
        <div className={css.panel}>
          {block === null ? (
            <Section title={t('editor.style')}>
              <StylePanel
                style={design.style}
                onChange={(what, patch) =>
                  change(what === '' ? '' : `style ${what}`, (now) => ({ ...now, style: { ...now.style, ...patch } }))
                }
              />
            </Section>
          ) : (
            <Section title={tOf('editor.block', block.type)}>
              <BlockPanel
                key={block.id}
                block={block}
                style={design.style}
                onChange={(what, patch) =>
                  change(what === '' ? '' : `${block.id} ${what}`, (now) => doc.patched(now, block.id, patch))
                }
              />
            </Section>
          )}
        </div>
      )}
    </div>
  );
}
