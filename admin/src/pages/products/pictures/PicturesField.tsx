import { Button, TextInput } from '@mantine/core';
import { type DragEvent, useId, useRef, useState } from 'react';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Uploads } from '../../../ui/form/Uploads.tsx';
import { useUploads } from '../../../ui/form/uploads.ts';
import type { InputProps } from '../../../ui/form/values.ts';
import { say } from '../../../ui/messages.tsx';
import { MediaPicker } from '../../media/MediaPicker.tsx';
import { PictureRow } from './PictureRow.tsx';
import css from './PicturesField.module.css';
import { ACCEPTED, uploadPicture } from './queries.ts';
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
  const uploads = useUploads(
    (file) => uploadPicture(api, file),
    (url) => set([...latest.current, { url, alt: '' }]),
  );
  const [over, setOver] = useState(false);
  const [dragged, setDragged] = useState<number | null>(null);
  const [picking, setPicking] = useState(false);
  const [address, setAddress] = useState('');

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
      <Uploads
        accept={ACCEPTED}
        choose={t('product.image.choose')}
        hint={t('product.image.drop')}
        over={over}
        list={uploads.list}
        add={uploads.add}
        dismiss={uploads.dismiss}
      />
      <div>
        <Button variant="default" onClick={() => setPicking(true)}>
          {t('media.pick')}
        </Button>
      </div>
      {picking ? (
        <MediaPicker
          onChoose={({ url, alt }) => {
            if (!latest.current.some((one) => one.url === url)) set([...latest.current, { url, alt }]);
            setPicking(false);
          }}
          onClose={() => setPicking(false)}
        />
      ) : null}
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
