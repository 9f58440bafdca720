import { ActionIcon, TextInput } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { pictureOf } from '../../../ui/picture.ts';
import css from './PicturesField.module.css';
import type { Picture } from './value.ts';

interface PictureRowProps {
  picture: Picture;
  at: number;
  of: number;
  dragged: boolean;
  onAlt(alt: string): void;
  onMove(to: number): void;
  onRemove(): void;
  onDragStart(): void;
  onDragEnd(): void;
  onDropOn(): void;
}

/** One picture of a product's form. */
export function PictureRow({ picture, at, of, dragged, ...on }: PictureRowProps) {
  const shown = pictureOf(picture.url, 'thumb');
  const n = at + 1;
  return (
    <li
      className={css.row}
      data-dragged={dragged || undefined}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        if (event.dataTransfer.files.length > 0) return;
        event.preventDefault();
        on.onDropOn();
      }}
    >
      <figure
        className={css.handle}
        draggable
        title={t('product.image.drag')}
        onDragStart={(event) => {
          event.dataTransfer.effectAllowed = 'move';
          event.dataTransfer.setData('text/plain', String(at));
          on.onDragStart();
        }}
        onDragEnd={on.onDragEnd}
      >
        {shown === null ? (
          <span className={`${css.foreign} break dim`}>{URL.parse(picture.url)?.host ?? picture.url}</span>
        ) : (
          <img src={shown} alt={picture.alt} className={css.image} draggable={false} />
        )}
        {at === 0 ? <span className={css.primary}>{t('product.primary')}</span> : null}
      </figure>
      <TextInput
        className={css.alt ?? ''}
        label={t('product.image.alt', { n })}
        maxLength={300}
        value={picture.alt}
        onChange={(event) => on.onAlt(event.currentTarget.value)}
      />
      <span className={css.actions}>
        <ActionIcon
          variant="default"
          size="lg"
          disabled={at === 0}
          aria-label={t('product.image.earlier', { n })}
          onClick={() => on.onMove(at - 1)}
        >
          <Icon name="arrow-up" />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size="lg"
          disabled={at === of - 1}
          aria-label={t('product.image.later', { n })}
          onClick={() => on.onMove(at + 1)}
        >
          <Icon name="arrow-down" />
        </ActionIcon>
        <ActionIcon variant="default" size="lg" aria-label={t('product.image.remove', { n })} onClick={on.onRemove}>
          <Icon name="x" />
        </ActionIcon>
      </span>
    </li>
  );
}
