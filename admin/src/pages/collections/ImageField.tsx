import { Button } from '@mantine/core';
import { useId, useState } from 'react';
import { t } from '../../i18n/i18n.ts';
import type { InputProps } from '../../ui/form/values.ts';
import { Thumb } from '../media/ListPage.tsx';
import { MediaPicker } from '../media/MediaPicker.tsx';
import { nameOf, useMedia } from '../media/queries.ts';
import css from './ImageField.module.css';

/** A picture of the media library; the value is its id. */
export function ImageField({ field, value, error, onChange }: InputProps) {
  const [picking, setPicking] = useState(false);
  const errorId = useId();
  const id = Number(value);
  return (
    <fieldset className={css.field} aria-describedby={error === undefined ? undefined : errorId}>
      <legend>{field.label}</legend>
      <div className={css.row}>
        {id === 0 ? <span className="dim">{t('collection.no_image')}</span> : <Chosen id={id} />}
        <Button variant="default" size="xs" onClick={() => setPicking(true)}>
          {t('media.pick')}
        </Button>
        {id === 0 ? null : (
          <Button variant="default" size="xs" onClick={() => onChange('')}>
            {t('collection.image.remove')}
          </Button>
        )}
      </div>
      {error === undefined ? null : (
        <p id={errorId} className={css.error}>
          {error}
        </p>
      )}
      {picking ? (
        <MediaPicker
          onChoose={(media) => {
            onChange(String(media.id));
            setPicking(false);
          }}
          onClose={() => setPicking(false)}
        />
      ) : null}
    </fieldset>
  );
}

function Chosen({ id }: { id: number }) {
  const { data: media } = useMedia(id);
  if (media === undefined) return <span className="dim">#{id}</span>;
  return (
    <span className={css.chosen}>
      <Thumb media={media} />
      <span className="break">{nameOf(media)}</span>
    </span>
  );
}
