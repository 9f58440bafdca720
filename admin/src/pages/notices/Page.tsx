import './texts.ts';
import { Button, Checkbox } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { pathOf } from '../../../../src/messaging/staff-notices/paths.ts';
import { type BodyOf, ok, type ResponseOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { DetailColumns, Loaded, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import css from './Page.module.css';

type Notice = ResponseOf<'/staff-notices'>['notices'][number];
type Choice = BodyOf<'/staff-notices/choices', 'put'>;

/** What the person is told of, and how they want to be told. */
export function Page() {
  const { session } = useShop();
  if (session.person.id === null)
    return (
      <>
        <PageHeader title={t('notices.title')} />
        <Section title={t('notices.title')}>
          <p>{t('notices.operator')}</p>
        </Section>
      </>
    );
  return <Own />;
}

function Own() {
  const { api, company } = useShop();
  const client = useQueryClient();
  const notices = useQuery({
    queryKey: [company.id, 'staff-notices'],
    queryFn: async ({ signal }) => (await ok(api.GET('/staff-notices', { signal }))).notices,
    meta: { live: ['notices'], everyMs: 5_000 },
  });
  const read = useWrite({
    mutationFn: (body: BodyOf<'/staff-notices/read', 'post'>) => ok(api.POST('/staff-notices/read', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: [company.id, 'staff-notices'] }),
    onError: sayError,
  });
  const latest = notices.data?.[0];
  return (
    <>
      <PageHeader title={t('notices.title')}>
        <Button
          variant="default"
          disabled={latest === undefined || notices.data?.every((one) => one.read)}
          loading={read.isPending}
          onClick={() => latest !== undefined && read.mutate({ id: latest.id, before: true })}
        >
          {t('notices.read_all')}
        </Button>
      </PageHeader>
      <DetailColumns>
        <Section title={t('notices.latest')}>
          <Loaded query={notices}>
            {(rows) =>
              rows.length === 0 ? (
                <p className="dim">{t('notices.none')}</p>
              ) : (
                <ul className={css.list}>
                  {rows.map((one) => (
                    <Row key={one.id} notice={one} onRead={() => read.mutate({ id: one.id })} />
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Section>
        <Choices />
      </DetailColumns>
    </>
  );
}

function Row({ notice, onRead }: { notice: Notice; onRead: () => void }) {
  const format = useFormat();
  const { kind, record, details } = notice;
  const amount = details.amount === undefined ? '' : format.money(details.amount, details.currency);
  const reason = details.reason === undefined ? '' : tOf('notices.reason', details.reason);
  const values = { record, amount, name: details.name, stock: details.stock, reason };
  return (
    <li className={css.notice} data-unread={notice.read ? undefined : true}>
      <span className={css.text}>
        <Anchor path={pathOf(kind, record)} onClick={notice.read ? undefined : onRead}>
          {t(`notices.line.${kind}`, values)}
        </Anchor>
        <br />
        <span className="dim">
          <Moment at={notice.created_at} />
        </span>
      </span>
      {notice.read ? null : (
        <Button size="xs" variant="default" onClick={onRead}>
          {t('notices.read')}
        </Button>
      )}
    </li>
  );
}

function Choices() {
  const { api, company } = useShop();
  const client = useQueryClient();
  const queryKey = [company.id, 'staff-notices', 'choices'];
  const choices = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await ok(api.GET('/staff-notices/choices', { signal }))).choices,
  });
  const choose = useWrite({
    mutationFn: (body: Choice) => ok(api.PUT('/staff-notices/choices', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: [company.id, 'staff-notices'] }),
    onError: sayError,
  });
  const box = (choice: Choice, way: 'app' | 'mail') => (
    <Checkbox
      aria-label={`${tOf('notices.kind', choice.kind)}: ${t(`notices.${way}`)}`}
      checked={choice[way]}
      disabled={choose.isPending}
      onChange={(event) => choose.mutate({ ...choice, [way]: event.currentTarget.checked })}
    />
  );
  return (
    <Section title={t('notices.choices')} flush>
      <Loaded query={choices}>
        {(rows) => (
          <SmallTable
            caption={t('notices.choices')}
            rows={rows}
            keyOf={(choice) => choice.kind}
            empty=""
            columns={[
              { title: t('notices.kind'), cell: (choice) => tOf('notices.kind', choice.kind) },
              { title: t('notices.app'), cell: (choice) => box(choice, 'app') },
              { title: t('notices.mail'), cell: (choice) => box(choice, 'mail') },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
