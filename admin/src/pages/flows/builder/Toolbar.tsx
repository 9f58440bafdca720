import { ActionIcon, Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { t, tOf } from '../../../i18n/i18n.ts';
import { copyText } from '../../../ui/clipboard.ts';
import { Icon, type IconName } from '../../../ui/Icon.tsx';
import { copied, textOfClip } from '../model/clipboard.ts';
import { stepsWith } from '../model/search.ts';
import css from './Builder.module.css';
import { placeFor, removeSelected } from './keys.ts';
import { useBuilderContext } from './useBuilder.ts';

/** Actions on the drawing; each has a shortcut as well. */
export function Toolbar({ onPaste }: { onPaste(): void }) {
  const builder = useBuilderContext();
  const { readOnly, selected, draft } = builder;
  const copy = (): Promise<void> =>
    copyText(textOfClip(copied(draft, selected)), t('builder.copied', { n: selected.length }));
  return (
    <div className={css.toolbar} role="toolbar" aria-label={t('builder.tools')}>
      {readOnly ? null : (
        <>
          <Button
            size="xs"
            leftSection={<Icon name="plus" size={15} />}
            onClick={() => builder.pick(placeFor(builder))}
          >
            {t('builder.add')}
          </Button>
          <Tool icon="undo" text={t('builder.undo')} keys="Ctrl Z" off={!builder.canUndo} act={builder.undo} />
          <Tool icon="redo" text={t('builder.redo')} keys="Ctrl ⇧ Z" off={!builder.canRedo} act={builder.redo} />
          <Tool
            icon="sitemap"
            text={t('builder.arrange')}
            keys="⇧ A"
            off={draft.steps.every(({ position }) => position === undefined)}
            act={() => void builder.run({ do: 'arrange' })}
          />
          <Tool
            icon="copy"
            text={t('builder.copy')}
            keys="Ctrl C"
            off={selected.length === 0}
            act={() => void copy()}
          />
          <Tool icon="inbox" text={t('builder.paste')} keys="Ctrl V" off={false} act={onPaste} />
          <Tool
            icon="trash"
            text={t('builder.remove')}
            keys="Del"
            off={selected.length === 0}
            act={() => removeSelected(builder)}
          />
        </>
      )}
      <span className="grow" />
      <Search />
    </div>
  );
}

function Tool(props: { icon: IconName; text: string; keys: string; off: boolean; act(): void }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="md"
      aria-label={props.text}
      title={`${props.text} (${props.keys})`}
      disabled={props.off}
      onClick={props.act}
    >
      <Icon name={props.icon} size={17} />
    </ActionIcon>
  );
}

/** Finds a step by its name, type or text and goes to it; Enter goes to the next one. */
function Search() {
  const builder = useBuilderContext();
  const [text, setText] = useState('');
  const hits = stepsWith(builder.draft, text, (type) => tOf('flow.step', type));
  const here = hits.findIndex(({ step_id }) => step_id === builder.at);
  const next = (): void => {
    const hit = hits[(here + 1) % Math.max(1, hits.length)];
    if (hit !== undefined) builder.goTo(hit.step_id);
  };
  return (
    <TextInput
      size="xs"
      className={css.search ?? ''}
      data-list-search
      aria-label={t('builder.search')}
      placeholder={t('builder.search')}
      leftSection={<Icon name="search" size={14} />}
      rightSection={text === '' ? null : <span className="dim num">{hits.length}</span>}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') next();
      }}
    />
  );
}
