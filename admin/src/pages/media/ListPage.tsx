import { rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Moment, useFormat } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import css from './media.module.css';
import { KINDS, type Media, nameOf } from './queries.ts';

/** What is shown of a record in small. */
export function Thumb({ media }: { media: Media }) {
  return media.variants === null ? (
    <span className={css.thumb}>
      <Icon name={media.kind === 'link' ? 'webhook' : 'list-details'} />
    </span>
  ) : (
    <img src={media.variants.thumb} alt="" loading="lazy" className={css.thumb} />
  );
}

export function ListPage() {
  const { api, can } = useShop();
  const format = useFormat();
  return (
    <List<Media>
      name="media"
      title={t('nav.media')}
      resource="media"
      load={(query, signal) => rowsOf(api.GET('/media', { params: { query }, signal }))}
      idOf={(media) => media.id}
      path={(media) => `media/${media.id}`}
      search={{ key: 'search', placeholder: t('media.search') }}
      filters={[
        {
          key: 'kind',
          title: t('media.kind'),
          type: 'choice',
          choices: KINDS.map((value) => ({ value, label: tOf('media.kind', value) })),
        },
        {
          key: 'unused',
          title: t('media.unused'),
          type: 'yes_no',
        },
      ]}
      columns={[
        {
          key: 'title',
          title: t('media.title'),
          cell: (media) => (
            <span className={css.name}>
              <Thumb media={media} />
              <span className="break">{nameOf(media)}</span>
            </span>
          ),
          csv: (media) => media.title,
        },
        {
          key: 'kind',
          title: t('media.kind'),
          wide: true,
          cell: (media) => tOf('media.kind', media.kind),
          csv: (media) => media.kind,
        },
        {
          key: 'used_in',
          title: t('media.used_in'),
          wide: true,
          cell: (media) => media.used_in.map(({ name }) => name).join(', '),
          csv: (media) => media.used_in.map(({ name }) => name).join(', '),
        },
        {
          key: 'bytes',
          title: t('media.size'),
          align: 'right',
          wide: true,
          cell: (media) =>
            media.kind === 'link' ? '' : t('media.kilobytes', { n: format.number(Math.ceil(media.bytes / 1_000)) }),
          csv: (media) => media.bytes,
        },
        {
          key: 'created_at',
          title: t('field.created'),
          align: 'right',
          cell: (media) => <Moment at={media.created_at} />,
          csv: (media) => media.created_at,
        },
      ]}
      {...(can('products:write') ? { create: { path: 'media/new', text: t('media.new') } } : {})}
      empty={{ icon: 'upload', title: t('media.empty'), text: t('media.empty.text') }}
    />
  );
}
