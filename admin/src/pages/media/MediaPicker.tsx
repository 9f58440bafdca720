import '../products/texts.ts';
import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { LoadedPart } from '../../ui/DetailPage.tsx';
import { Uploads } from '../../ui/form/Uploads.tsx';
import { useUploads } from '../../ui/form/uploads.ts';
import { Icon } from '../../ui/Icon.tsx';
import { ACCEPTED } from '../products/pictures/queries.ts';
import css from './MediaPicker.module.css';
import { addMedia, type Media, nameOf } from './queries.ts';

const TYPING_MS = 200;
const SHOWN = 60;

/** A dialog that chooses a picture of the media library. Uploaded pictures join the library, and come first. */
export function MediaPicker({ onChoose, onClose }: { onChoose(media: Media): void; onClose(): void }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), TYPING_MS);
  const query = useQuery({
    queryKey: [company.id, 'media', 'pictures', search],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = { kind: 'picture', per_page: SHOWN, ...(search === '' ? {} : { search }) } as const;
      return rowsOf(api.GET('/media', { params: { query }, signal }));
    },
  });
  const uploads = useUploads(
    (file) => addMedia(api, file),
    () => {
      setText('');
      void client.invalidateQueries({ queryKey: [company.id, 'media'] });
    },
  );
  return (
    <Modal
      opened
      size="xl"
      onClose={onClose}
      title={t('media.pick.title')}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <div className="stack">
        <TextInput
          type="search"
          data-autofocus
          label={t('media.search')}
          value={text}
          autoComplete="off"
          leftSection={<Icon name="search" size={15} />}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <LoadedPart query={query}>
          {({ rows, total }) => (
            <>
              {rows.length === 0 ? (
                <p className="dim" role="status">
                  {t('list.none.title')}
                </p>
              ) : (
                <ul className={css.pictures}>
                  {rows.map((media) => (
                    <li key={media.id}>
                      <button type="button" onClick={() => onChoose(media)}>
                        <img src={media.variants?.thumb} alt={media.alt} loading="lazy" />
                        <span className="break">{nameOf(media)}</span>
                      </button>
                    </li>
                  ))}
                </ul>
              )}
              {total > rows.length ? <p className="dim">{t('media.pick.more', { n: rows.length })}</p> : null}
            </>
          )}
        </LoadedPart>
        <Uploads
          {...uploads}
          accept={ACCEPTED}
          choose={t('media.pick.upload')}
          hint={t('media.pick.hint')}
          over={false}
        />
      </div>
    </Modal>
  );
}
