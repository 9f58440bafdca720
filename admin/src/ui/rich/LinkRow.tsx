import { Button, TextInput } from '@mantine/core';
import type { Editor } from '@tiptap/core';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n/i18n.ts';
import { linkAddress } from './formats.ts';
import css from './RichText.module.css';

/** The address of the link at the selection. It is no form: it is inside one. */
export function LinkRow({ editor, onClose }: { editor: Editor; onClose(): void }) {
  const [typed, setTyped] = useState(() => String(editor.getAttributes('link').href ?? ''));
  const [isWrong, setIsWrong] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const isLink = editor.isActive('link');
  const close = (): void => {
    editor.commands.focus();
    onClose();
  };
  const apply = (): void => {
    const href = linkAddress(typed);
    setIsWrong(href === null);
    if (href === null) return;
    const marks = [{ type: 'link', attrs: { href } }];
    if (isLink) editor.chain().extendMarkRange('link').setLink({ href }).run();
    else if (editor.state.selection.empty) editor.commands.insertContent({ type: 'text', text: typed.trim(), marks });
    else editor.commands.setLink({ href });
    close();
  };
  return (
    <div className={css.link}>
      <TextInput
        ref={input}
        size="xs"
        inputMode="url"
        autoComplete="off"
        aria-label={t('rich.address')}
        placeholder={t('rich.address')}
        error={isWrong ? t('rich.address.wrong') : undefined}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault();
            apply();
          }
          if (event.key === 'Escape') close();
        }}
      />
      <Button size="xs" onClick={apply}>
        {t('rich.apply')}
      </Button>
      {isLink ? (
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            editor.chain().extendMarkRange('link').unsetLink().run();
            close();
          }}
        >
          {t('rich.unlink')}
        </Button>
      ) : null}
      <Button size="xs" variant="default" onClick={close}>
        {t('action.cancel')}
      </Button>
    </div>
  );
}
