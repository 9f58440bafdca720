import { Button, Input, Textarea } from '@mantine/core';
import './texts.ts';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { hasTags } from '../../../../src/lib/html.ts';
import { t } from '../../i18n/i18n.ts';
import type { InputProps } from '../form/values.ts';
import { Editor } from './Editor.tsx';
import { documentOf, lossesOf, storedOf } from './html.ts';
import css from './RichText.module.css';

/** A text that may be formatted, as it looks or as HTML. What the editor would lose is only shown as HTML. */
export function RichText({ field, value, error, onChange }: InputProps) {
  const id = useId();
  const text = String(value);
  // A change from outside, such as a discarded draft, begins another editor.
  const [shown, setShown] = useState({ text, editor: 0, isOwn: false });
  if (shown.text !== text) setShown({ text, editor: shown.editor + 1, isOwn: false });
  const losses = useMemo(() => (shown.isOwn ? [] : lossesOf(text)), [text, shown.isOwn]);
  const [asSource, setAsSource] = useState(losses.length > 0);
  if (losses.length > 0 && !asSource) setAsSource(true);
  const area = useRef<HTMLTextAreaElement>(null);
  const isSwitched = useRef(false);
  useEffect(() => {
    if (asSource && isSwitched.current) area.current?.focus();
  }, [asSource]);
  const show = (source: boolean): void => {
    isSwitched.current = true;
    setAsSource(source);
  };
  const { name, label, help, required } = field;
  if (!asSource) {
    return (
      <Input.Wrapper
        id={id}
        label={label}
        description={help}
        error={error}
        required={required}
        labelElement="div"
        labelProps={{ id: `${id}-label` }}
      >
        <Editor
          key={shown.editor}
          value={text}
          labelId={`${id}-label`}
          describedBy={[help && `${id}-description`, error && `${id}-error`].filter(Boolean).join(' ')}
          isInvalid={error !== undefined}
          isFocused={isSwitched.current}
          onChange={(next) => {
            setShown({ text: next, editor: shown.editor, isOwn: true });
            onChange(next);
          }}
          onSource={() => show(true)}
        />
      </Input.Wrapper>
    );
  }
  const names = losses.filter((lost) => lost !== '').join(', ');
  const why = names === '' ? t('rich.unknown_order') : t('rich.unknown', { names });
  return (
    <div className={css.source}>
      <Textarea
        ref={area}
        label={label}
        description={losses.length > 0 ? why : help}
        error={error}
        required={required}
        name={name}
        autosize
        minRows={8}
        maxRows={24}
        spellCheck={!hasTags(text)}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        classNames={{ input: css.code ?? '' }}
      />
      {losses.length > 0 ? (
        <Button size="xs" variant="default" onClick={() => onChange(storedOf(documentOf(text), true))}>
          {t('rich.remove')}
        </Button>
      ) : (
        <Button size="xs" variant="default" onClick={() => show(false)}>
          {t('rich.formatted')}
        </Button>
      )}
    </div>
  );
}
