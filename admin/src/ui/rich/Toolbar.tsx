import { ActionIcon, NativeSelect } from '@mantine/core';
import type { ChainedCommands, Editor } from '@tiptap/core';
import { type KeyboardEvent, useState } from 'react';
import { type TextKey, t } from '../../i18n/i18n.ts';
import { Icon, type IconName } from '../Icon.tsx';
import { LEVELS } from './formats.ts';
import { LinkRow } from './LinkRow.tsx';
import css from './RichText.module.css';

interface Tool {
  icon: IconName;
  label: TextKey;
  run(chain: ChainedCommands): ChainedCommands;
  /** The format that the tool gives and takes. */
  gives?: string;
}

const TOOLS: Tool[] = [
  { icon: 'bold', label: 'rich.bold', gives: 'bold', run: (chain) => chain.toggleBold() },
  { icon: 'italic', label: 'rich.italic', gives: 'italic', run: (chain) => chain.toggleItalic() },
  { icon: 'underline', label: 'rich.underline', gives: 'underline', run: (chain) => chain.toggleUnderline() },
  { icon: 'list', label: 'rich.bullets', gives: 'bulletList', run: (chain) => chain.toggleBulletList() },
  { icon: 'list-numbers', label: 'rich.numbers', gives: 'orderedList', run: (chain) => chain.toggleOrderedList() },
  { icon: 'indent', label: 'rich.indent', run: (chain) => chain.sinkListItem('listItem') },
  { icon: 'outdent', label: 'rich.outdent', run: (chain) => chain.liftListItem('listItem') },
  { icon: 'quote', label: 'rich.quote', gives: 'blockquote', run: (chain) => chain.toggleBlockquote() },
  { icon: 'undo', label: 'rich.undo', run: (chain) => chain.undo() },
  { icon: 'redo', label: 'rich.redo', run: (chain) => chain.redo() },
];

/** The tools of an editor. Tab goes to the last one that was used, arrow keys go on to the others. */
export function Toolbar({ editor, onSource }: { editor: Editor; onSource(): void }) {
  const [at, setAt] = useState('bold');
  const [isLinking, setIsLinking] = useState(false);
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    const tools = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('button')];
    const now = tools.findIndex((one) => one.matches(':focus'));
    const next: Record<string, number> = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: tools.length - 1 };
    const to = next[event.key];
    if (to === undefined) return;
    event.preventDefault();
    tools[(to + tools.length) % tools.length]?.focus();
  };
  const tool = (
    icon: IconName,
    label: TextKey,
    press: () => void,
    state: { pressed?: boolean; disabled?: boolean },
  ) => (
    <ActionIcon
      key={icon}
      variant={state.pressed ? 'light' : 'subtle'}
      color={state.pressed ? 'indigo' : 'gray'}
      size="lg"
      aria-label={t(label)}
      title={t(label)}
      aria-pressed={state.pressed}
      aria-disabled={state.disabled}
      data-disabled={state.disabled || undefined}
      tabIndex={at === icon ? 0 : -1}
      onFocus={() => setAt(icon)}
      // The text keeps its selection.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => {
        setAt(icon);
        if (!state.disabled) press();
      }}
    >
      <Icon name={icon} />
    </ActionIcon>
  );
  const shown = ({ icon, label, gives, run }: Tool) =>
    tool(icon, label, () => run(editor.chain().focus()).run(), {
      ...(gives === undefined ? { disabled: !run(editor.can().chain()).run() } : { pressed: editor.isActive(gives) }),
    });
  return (
    <>
      <div className={css.tools}>
        <StyleSelect editor={editor} />
        <div role="toolbar" aria-label={t('rich.tools')} className={css.buttons} onKeyDown={move}>
          {TOOLS.slice(0, 3).map(shown)}
          {tool('link', 'rich.link', () => setIsLinking(!isLinking), { pressed: editor.isActive('link') })}
          {TOOLS.slice(3).map(shown)}
          {tool('code', 'rich.source', onSource, {})}
        </div>
      </div>
      {isLinking ? <LinkRow editor={editor} onClose={() => setIsLinking(false)} /> : null}
    </>
  );
}

/** Whether the block is a paragraph or a heading. */
function StyleSelect({ editor }: { editor: Editor }) {
  const level = Number(editor.getAttributes('heading').level ?? 0);
  // Imported texts have others.
  const levels = level === 0 || LEVELS.some((one) => one === level) ? LEVELS : [level, ...LEVELS];
  return (
    <NativeSelect
      size="xs"
      aria-label={t('rich.style')}
      value={String(level)}
      data={[
        { value: '0', label: t('rich.paragraph') },
        ...levels.map((n) => ({ value: String(n), label: t('rich.heading', { n }) })),
      ]}
      onChange={(event) => {
        const next = LEVELS.find((one) => String(one) === event.currentTarget.value);
        const chain = editor.chain();
        (next === undefined ? chain.setParagraph() : chain.setHeading({ level: next })).run();
      }}
    />
  );
}
