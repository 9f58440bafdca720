import { Editor as TipTap } from '@tiptap/core';
import { useEffect, useReducer, useRef, useState } from 'react';
import { hasTags } from '../../../../src/lib/html.ts';
import { EXTENSIONS } from './formats.ts';
import { documentOf, storedOf } from './html.ts';
import css from './RichText.module.css';
import { Toolbar } from './Toolbar.tsx';

interface EditorProps {
  /** Read once: what is typed goes out by `onChange`. */
  value: string;
  labelId: string;
  describedBy: string;
  isInvalid: boolean;
  isFocused: boolean;
  onChange(value: string): void;
  onSource(): void;
}

/** A text as it looks, with its tools. As long as nothing is changed, or all is undone, the value stays as it was, byte for byte. */
export function Editor(props: EditorProps) {
  const { labelId, describedBy, isInvalid, onSource } = props;
  const place = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<TipTap | null>(null);
  const [, drawAgain] = useReducer((count: number) => count + 1, 0);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const { value, isFocused } = latest.current;
    const start = documentOf(value);
    const made = new TipTap({
      element: place.current,
      extensions: EXTENSIONS,
      // A document, because TipTap parses texts in a way that Trusted Types refuse.
      content: start.toJSON(),
      // The policy of the page refuses style elements: the styles are in the CSS module.
      injectCSS: false,
      // What is typed stays as it is typed.
      enableInputRules: false,
      enablePasteRules: false,
      autofocus: isFocused ? 'end' : false,
      onTransaction: drawAgain,
      onUpdate: ({ editor: { state } }) => {
        const isStart = JSON.stringify(state.doc) === JSON.stringify(start);
        latest.current.onChange(isStart ? value : storedOf(state.doc, hasTags(value)));
      },
    });
    setEditor(made);
    return () => made.destroy();
  }, []);
  useEffect(() => {
    editor?.setOptions({
      editorProps: {
        attributes: {
          class: css.text ?? '',
          role: 'textbox',
          'aria-multiline': 'true',
          'aria-labelledby': labelId,
          ...(describedBy === '' ? {} : { 'aria-describedby': describedBy }),
          ...(isInvalid ? { 'aria-invalid': 'true' } : {}),
        },
        handleDOMEvents: {
          // Tab leaves the text, also in a list.
          keydown: (_view, event) => event.key === 'Tab',
        },
      },
    });
  }, [editor, labelId, describedBy, isInvalid]);
  return (
    <div className={css.editor} data-invalid={isInvalid || undefined}>
      {editor === null ? null : <Toolbar editor={editor} onSource={onSource} />}
      <div ref={place} />
    </div>
  );
}
