import '../../templates/texts.ts';
import { Button, Menu, SegmentedControl } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ClipboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useId, useSearchValues } from '../../../app/nav.ts';
import { t, tOf } from '../../../i18n/i18n.ts';
import { pastedText } from '../../../ui/clipboard.ts';
import { Loaded } from '../../../ui/DetailPage.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { say } from '../../../ui/messages.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { Status } from '../../../ui/Status.tsx';
import { copied, freshIds, readClip, textOfClip } from '../model/clipboard.ts';
import { stepOf, TRIGGER } from '../model/draft.ts';
import { Outline } from '../Outline.tsx';
import { type Flow, type FlowNumbers, type Stats, useFlow, useStats } from '../queries.ts';
import type { Lit } from '../trial/path.ts';
import { TrialPanel } from '../trial/TrialPanel.tsx';
import css from './Builder.module.css';
import { Canvas } from './Canvas.tsx';
import { onCanvasKey, placeFor, removeSelected } from './keys.ts';
import { ProblemList } from './ProblemList.tsx';
import { StepPanel } from './StepPanel.tsx';
import { StepPicker } from './StepPicker.tsx';
import { Toolbar } from './Toolbar.tsx';
import { TriggerPanel } from './TriggerPanel.tsx';
import { type Builder, BuilderProvider, useBuilder, useBuilderContext } from './useBuilder.ts';

/** A flow as a drawing or an outline, with a panel for what is selected. */
export function BuilderPage() {
  return <Loaded query={useFlow(useId())}>{(flow) => <Editor key={flow.flow_id} flow={flow} />}</Loaded>;
}

function Editor({ flow }: { flow: Flow }) {
  const [{ view = 'canvas', step }, setSearch] = useSearchValues();
  const builder = useBuilder(flow, step);
  const { draft, dirty, at, selected, picking, readOnly } = builder;
  const panel = useRef<HTMLElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const { data: stats } = useStats(flow);
  const numbers = useMemo(() => numbersOf(stats), [stats]);
  const problems = useMemo(() => new Map(builder.problems.map(({ id, message }) => [id, message])), [builder.problems]);
  const [isTrial, setTrial] = useState(false);
  const [lit, setLit] = useState<Lit | null>(null);
  useBlocker({
    // An editor that leads back here finds the draft unchanged: the tab keeps it.
    shouldBlockFn: ({ next }) => dirty && !('return' in next.search) && !window.confirm(t('form.leave')),
    enableBeforeUnload: false,
  });
  useShortcuts(builder);
  useFocusOn(canvas, at);
  const openPanel = (): void => panel.current?.querySelector<HTMLElement>('[data-panel-first]')?.focus();

  return (
    <BuilderProvider value={builder}>
      <PageHeader
        title={draft.name}
        back={{ path: `flows/${flow.flow_id}`, text: t('builder.back') }}
        badge={<Status value={flow.status} />}
      >
        <SegmentedControl
          size="xs"
          aria-label={t('builder.view')}
          value={view}
          data={['canvas', 'outline'].map((value) => ({ value, label: tOf('builder.view', value) }))}
          onChange={(next) => setSearch({ view: next === 'canvas' ? '' : next })}
        />
        <Button variant="default" disabled={isTrial} onClick={() => setTrial(true)}>
          {t('trial.title')}
        </Button>
        {readOnly ? null : <SaveButtons builder={builder} />}
      </PageHeader>
      <div
        className={css.builder}
        onCopy={(event) => onCopy(event, builder)}
        onPaste={(event) => onPaste(event, builder)}
      >
        <div className={css.main}>
          <Toolbar onPaste={() => void pasteFromClipboard(builder)} />
          <ProblemList />
          {view === 'outline' ? (
            <Outline flow={{ ...flow, ...draft }} at={at} onChoose={builder.goTo} />
          ) : (
            // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the steps inside
            <div
              ref={canvas}
              className={css.canvas}
              onKeyDown={(event) => {
                if ((event.target as HTMLElement).dataset.step !== undefined) onCanvasKey(event, builder, openPanel);
              }}
            >
              <Canvas
                draft={draft}
                at={at}
                selected={selected}
                label={t('builder.canvas', { name: draft.name })}
                numbers={numbers}
                problems={problems}
                {...(lit === null ? {} : { marks: lit.steps, wayMarks: lit.ways })}
                onChoose={builder.goTo}
                {...(readOnly
                  ? {}
                  : {
                      edit: {
                        move: (positions) => void builder.run({ do: 'move', positions }),
                        connect: (from, branch, to) => void builder.run({ do: 'connect', on: { from, branch }, to }),
                        disconnect: (from, branch) => void builder.run({ do: 'disconnect', on: { from, branch } }),
                        insert: (from, branch) => builder.pick({ from, branch }),
                        select: builder.select,
                      },
                    })}
              />
            </div>
          )}
          <p className={`${css.hint} dim`}>{t('builder.keys')}</p>
        </div>
        <aside
          ref={panel}
          className={css.panel}
          aria-label={t('builder.panel')}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && !event.defaultPrevented) focusStep(canvas.current, at);
          }}
        >
          {isTrial ? (
            <>
              <div className={css.panelHead}>
                <h2>{t('trial.title')}</h2>
              </div>
              <TrialPanel
                onLit={setLit}
                onClose={() => {
                  setTrial(false);
                  setLit(null);
                }}
              />
            </>
          ) : (
            <ChosenStep />
          )}
        </aside>
      </div>
      {picking === undefined ? null : <StepPicker on={picking} />}
    </BuilderProvider>
  );
}

/** None before anybody entered the flow, where all would be zero. */
function numbersOf(stats: Stats | undefined): FlowNumbers | undefined {
  if (stats === undefined || stats.totals.entered === 0) return undefined;
  return { entered: stats.totals.entered, steps: new Map(stats.steps.map((one) => [one.step_id, one])) };
}

/** The panel of the current step. */
function ChosenStep() {
  const builder = useBuilderContext();
  const { draft, at, readOnly } = builder;
  const step = stepOf(draft, at);
  return (
    <>
      <div className={css.panelHead}>
        <h2>{step === undefined ? t('flow.trigger') : tOf('flow.step', step.type)}</h2>
        {step === undefined || readOnly ? null : (
          <Menu position="bottom-end">
            <Menu.Target>
              <Button size="compact-xs" variant="default" aria-label={t('action.more')}>
                <Icon name="dots" size={16} />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => duplicate(builder, step.step_id)}>{t('builder.duplicate')}</Menu.Item>
              <Menu.Item color="red" onClick={() => removeSelected({ ...builder, selected: [step.step_id] })}>
                {t('builder.remove')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
      {step === undefined ? <TriggerPanel /> : <StepPanel key={step.step_id} step={step} />}
    </>
  );
}

function SaveButtons({ builder }: { builder: Builder }) {
  const { flow, dirty, saving } = builder;
  return (
    <>
      <Button variant="default" disabled={!dirty || saving} onClick={builder.discard}>
        {t('form.discard')}
      </Button>
      <Button
        variant={flow.status === 'draft' ? 'default' : 'filled'}
        disabled={!dirty}
        loading={saving}
        onClick={() => void builder.save()}
      >
        {t('action.save')}
      </Button>
      {flow.status === 'draft' ? (
        <Button loading={saving} onClick={() => void builder.activate()}>
          {t('flow.activate')}
        </Button>
      ) : null}
    </>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

function onCopy(event: ClipboardEvent, { draft, selected }: Builder): void {
  if (isTyping(event.target) || selected.length === 0) return;
  event.preventDefault();
  event.clipboardData.setData('text/plain', textOfClip(copied(draft, selected)));
  say(t('builder.copied', { n: selected.length }));
}

function onPaste(event: ClipboardEvent, builder: Builder): void {
  if (isTyping(event.target) || builder.readOnly) return;
  event.preventDefault();
  paste(builder, event.clipboardData.getData('text/plain'));
}

async function pasteFromClipboard(builder: Builder): Promise<void> {
  const text = await pastedText();
  if (text === null) say(t('builder.paste.by_key'), true);
  else paste(builder, text);
}

function paste(builder: Builder, text: string): void {
  const clip = readClip(text);
  if (clip === null) {
    say(t('builder.no_clip'), true);
    return;
  }
  const ids = [...freshIds(builder.draft, clip).values()];
  builder.run({ do: 'paste', clip, on: placeFor(builder) });
  builder.goTo(ids[0]!);
  builder.select(ids);
}

function duplicate(builder: Builder, id: string): void {
  paste(builder, textOfClip(copied(builder.draft, [id])));
}

/** Shortcuts that work wherever the focus is on the page. */
function useShortcuts(builder: Builder): void {
  const latest = useRef(builder);
  latest.current = builder;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const { undo, redo, save, readOnly, draft, select } = latest.current;
      if (readOnly || !(event.ctrlKey || event.metaKey)) return;
      const key = event.key.toLowerCase();
      const act =
        key === 's'
          ? () => void save()
          : isTyping(event.target)
            ? null
            : key === 'z'
              ? event.shiftKey
                ? redo
                : undo
              : key === 'y'
                ? redo
                : key === 'a'
                  ? () => select(draft.steps.map(({ step_id }) => step_id))
                  : null;
      if (act === null) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

function focusStep(canvas: HTMLElement | null, id: string): void {
  canvas?.querySelector<HTMLElement>(`[data-step="${CSS.escape(id)}"]`)?.focus();
}

/** Focuses the current step, if the focus was on a step before, or was lost with a dialog. */
function useFocusOn(canvas: React.RefObject<HTMLDivElement | null>, id: string): void {
  useEffect(() => {
    const { activeElement } = document;
    const isFree = activeElement === document.body || canvas.current?.contains(activeElement);
    if (isFree && id !== TRIGGER) requestAnimationFrame(() => focusStep(canvas.current, id));
  }, [id, canvas]);
}
