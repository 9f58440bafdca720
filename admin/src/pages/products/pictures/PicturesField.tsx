import { Button, TextInput, VisuallyHidden } from '@mantine/core';
import { type DragEvent, useId, useRef, useState } from 'react';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import type { InputProps } from '../../../ui/form/values.ts';
import { say } from '../../../ui/messages.tsx';
import { PictureRow } from './PictureRow.tsx';
import css from './PicturesField.module.css';
import { ACCEPTED } from './queries.ts';
import { useUploads } from './uploads.ts';
import { moved, type Picture, picturesIn, textOfPictures } from './value.ts';

/** The pictures of a product: dropped or chosen, ordered, each with a description. */
export function PicturesField({ field, value, error, onChange }: InputProps) {
  const { api } = useShop();
  const id = useId();
  const pictures = picturesIn(value);
  const latest = useRef(pictures);
  latest.current = pictures;
  const set = (next: Picture[]): void => {
    latest.current = next;
    onChange(textOfPictures(next));
  };
  const uploads = useUploads(api, (url) => set([...latest.current, { url, alt: '' }]));
  const [over, setOver] = useState(false);
  const [dragged, setDragged] = useState<number | null>(null);
  const [address, setAddress] = useState('');
  const input = useRef<HTMLInputElement>(null);

  const move = (from: number, to: number): void => {
    if (to < 0 || to >= pictures.length || from === to) return;
    set(moved(pictures, from, to));
    say(t('product.image.moved', { n: to + 1 }));
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    if (dragged === null) uploads.add([...event.dataTransfer.files]);
  };
  const addAddress = (): void => {
    if (address.trim() !== '') set([...pictures, { url: address.trim(), alt: '' }]);
    setAddress('');
  };

  return (
    <fieldset
      className={css.field}
      aria-describedby={error === undefined ? undefined : id}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(dragged === null);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <legend>{field.label}</legend>
      {pictures.length === 0 ? null : (
        <ol className={css.rows}>
          {pictures.map((picture, i) => (
            <PictureRow
              key={picture.url}
              picture={picture}
              at={i}
              of={pictures.length}
              dragged={dragged === i}
              onAlt={(alt) => set(pictures.map((one, at) => (at === i ? { ...one, alt } : one)))}
              onMove={(to) => move(i, to)}
              onRemove={() => set(pictures.filter((_, at) => at !== i))}
              onDragStart={() => setDragged(i)}
              onDragEnd={() => setDragged(null)}
              onDropOn={() => {
                if (dragged !== null) move(dragged, i);
                setDragged(null);
              }}
            />
          ))}
        </ol>
      )}
      <div className={css.drop} data-over={over || undefined}>
        <VisuallyHidden>
          <input
            ref={input}
            type="file"
            aria-label={t('product.image.choose')}
            tabIndex={-1}
            multiple
            accept={ACCEPTED}
            onChange={(event) => {
              uploads.add([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = '';
            }}
          />
        </VisuallyHidden>
        <Button variant="default" onClick={() => input.current?.click()}>
          {t('product.image.choose')}
        </Button>
        <span className="dim">{t('product.image.drop')}</span>
      </div>
      <ul className={css.uploads} aria-live="polite">
        {uploads.list.map(({ key, name, failure }) => (
          <li key={key} data-bad={failure !== null || undefined}>
            <span className="break">{name}</span>
            <span className="grow break">{failure ?? t('product.image.uploading')}</span>
            {failure === null ? null : (
              <Button size="compact-xs" variant="default" onClick={() => uploads.dismiss(key)}>
                {t('action.close')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <div className={css.address}>
        <TextInput
          label={t('product.image.address')}
          type="url"
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            addAddress();
          }}
        />
        <Button variant="default" onClick={addAddress} disabled={address.trim() === ''}>
          {t('product.image.add')}
        </Button>
      </div>
      {error === undefined ? null : (
        <p id={id} className={css.error}>
          {error}
        </p>
      )}
    </fieldset>
  );
}
