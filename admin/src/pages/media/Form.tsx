import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useState } from 'react';
import { type BodyOf, dataOf } from '../../api/client.ts';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { DeleteButton } from '../../ui/DeleteButton.tsx';
import { Loaded, Section } from '../../ui/DetailPage.tsx';
import { Uploads } from '../../ui/form/Uploads.tsx';
import { useUploads } from '../../ui/form/uploads.ts';
import type { InputProps } from '../../ui/form/values.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { Thumb } from './ListPage.tsx';
import css from './media.module.css';
import { ACCEPTED, addMedia, type Media, nameOf, useMedia } from './queries.ts';

const back = () => ({ path: 'media', text: t('nav.media') });

export function CreatePage() {
  const { api } = useShop();
  return (
    <>
      <PageHeader title={t('media.new')} back={back()} />
      <div className={css.stack}>
        <Files />
        <RecordForm<BodyOf<'/media', 'post'>>
          draft="media-new"
          groups={[
            {
              title: t('media.link'),
              fields: [
                { name: 'url', label: t('media.url'), type: 'url', required: true, help: t('media.url.help') },
                { name: 'title', label: t('media.title'), type: 'text' },
              ],
            },
          ]}
          initial={{ url: '', title: '' }}
          save={(body) => dataOf(api.POST('/media', { body: { ...body, kind: 'link' } }))}
          done={{ path: 'media', text: t('form.created') }}
          cancel="media"
          submit={t('media.link.add')}
        />
      </div>
    </>
  );
}

/** Files are uploaded as soon as they are chosen or dropped. */
function Files() {
  const { api, company } = useShop();
  const client = useQueryClient();
  const [over, setOver] = useState(false);
  const [added, setAdded] = useState<Media[]>([]);
  const uploads = useUploads(
    (file) => addMedia(api, file),
    (media) => {
      setAdded((before) => [...before.filter(({ id }) => id !== media.id), media]);
      void client.invalidateQueries({ queryKey: [company.id, 'media'] });
    },
  );
  return (
    <Section title={t('media.files')}>
      <fieldset
        className={css.field}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          uploads.add([...event.dataTransfer.files]);
        }}
      >
        <Uploads accept={ACCEPTED} choose={t('media.choose')} hint={t('media.drop')} over={over} {...uploads} />
      </fieldset>
      <ul className={css.added}>
        {added.map((media) => (
          <li key={media.id} className={css.name}>
            <Thumb media={media} />
            <Anchor path={`media/${media.id}`}>{nameOf(media)}</Anchor>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function EditPage() {
  return <Loaded query={useMedia(useId())}>{(media) => <Edit media={media} />}</Loaded>;
}

const Shown = createContext<Media | null>(null);

/** How arrow keys move the point, in per cent. */
const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-5, 0],
  ArrowRight: [5, 0],
  ArrowUp: [0, -5],
  ArrowDown: [0, 5],
};

const within = (percent: number): number => Math.min(100, Math.max(0, percent));

/** A click on the picture sets the point, and arrow keys move it; the value is "x y" in per cent. */
function FocalPoint({ field, value, onChange }: InputProps) {
  const media = useContext(Shown);
  const [x, y] = String(value).split(' ');
  return (
    <fieldset className={css.field}>
      <legend>{field.label}</legend>
      <button
        type="button"
        className={css.preview}
        aria-label={t('media.focal_point.set')}
        onClick={(event) => {
          const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
          // From the keyboard, which points nowhere: the middle.
          const isPointed = event.detail > 0;
          const across = isPointed ? (event.clientX - left) / width : 0.5;
          const down = isPointed ? (event.clientY - top) / height : 0.5;
          onChange(`${Math.round(across * 100)} ${Math.round(down * 100)}`);
        }}
        onKeyDown={(event) => {
          const [across, down] = STEPS[event.key] ?? [];
          if (across === undefined || down === undefined) return;
          event.preventDefault();
          onChange(`${within(Number(x || 50) + across)} ${within(Number(y ?? 50) + down)}`);
        }}
      >
        <img src={media?.variants?.medium} alt={media?.alt ?? ''} />
        {y === undefined ? null : <span className={css.point} style={{ left: `${x}%`, top: `${y}%` }} />}
      </button>
      <span className="dim">{field.help}</span>
      {y === undefined ? null : (
        <Button variant="default" size="compact-sm" className={css.remove ?? ''} onClick={() => onChange('')}>
          {t('media.focal_point.remove')}
        </Button>
      )}
    </fieldset>
  );
}

function groupsOf(media: Media): FieldGroup<BodyOf<'/media/{id}', 'patch'>>[] {
  const picture: FieldGroup<BodyOf<'/media/{id}', 'patch'>>['fields'] =
    media.variants === null
      ? []
      : [
          { name: 'alt', label: t('media.alt'), type: 'text', help: t('media.alt.help') },
          {
            name: 'focal_point',
            label: t('media.focal_point'),
            type: 'custom',
            help: t('media.focal_point.help'),
            custom: {
              Input: FocalPoint,
              bodyOf: (value) => {
                const [x, y] = String(value).split(' ').map(Number);
                return x === undefined || y === undefined ? null : { x: x / 100, y: y / 100 };
              },
            },
          },
        ];
  return [
    {
      title: t('section.details'),
      fields: [
        { name: 'title', label: t('media.title'), type: 'text' },
        { name: 'tags', label: t('media.tags'), type: 'words' },
        ...picture,
      ],
    },
  ];
}

function Edit({ media }: { media: Media }) {
  const { api, can } = useShop();
  const params = { path: { id: media.id } };
  const readOnly = !can('products:write');
  const { used_in: uses, focal_point: focal } = media;
  const title = nameOf(media);
  return (
    <Shown value={media}>
      <PageHeader title={title} back={back()}>
        {readOnly ? null : (
          <DeleteButton
            name={title}
            text={uses.length === 0 ? t('media.delete.text') : t('media.delete.used', { n: uses.length })}
            list="media"
            remove={() =>
              dataOf(api.DELETE('/media/{id}', { params: { ...params, query: { force: uses.length > 0 } } }))
            }
          />
        )}
      </PageHeader>
      <div className={css.stack}>
        <Section title={tOf('media.kind', media.kind)}>
          <a href={media.url} target="_blank" rel="noreferrer" className="break">
            {media.url}
          </a>
          {uses.length === 0 ? null : (
            <ul className={css.added}>
              {uses.map(({ kind, id, name }) => (
                <li key={`${kind} ${id}`}>
                  <Anchor path={`${kind}s/${id}`}>{name}</Anchor>
                </li>
              ))}
            </ul>
          )}
        </Section>
        <RecordForm
          draft={`media-${media.id}`}
          groups={groupsOf(media)}
          readOnly={readOnly}
          initial={{
            title: media.title,
            tags: media.tags.join('\n'),
            alt: media.alt,
            focal_point: focal === null ? '' : `${Math.round(focal.x * 100)} ${Math.round(focal.y * 100)}`,
          }}
          save={(body) => dataOf(api.PATCH('/media/{id}', { params, body }))}
          done={{ path: 'media', text: t('form.saved') }}
          cancel="media"
          submit={t('action.save')}
        />
      </div>
    </Shown>
  );
}
