import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok, type ResponseOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { copyText } from '../../ui/clipboard.ts';
import { Facts, Loaded, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Moment } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import secretCss from '../../ui/Secret.module.css';
import { SecretDialog } from '../../ui/Secret.tsx';
import { Status } from '../../ui/Status.tsx';
import { signingExample } from './example.ts';
import { DeveloperTabs } from './Tabs.tsx';

type Incoming = ResponseOf<'/webhook-secrets'>;
type Secret = Incoming['secrets'][number];

const OVERLAPS = ['0', '1', '24', '168'] as const;

/** The signed webhook that receives events: its address, how to sign, and its secrets. */
export function IncomingPage() {
  const { api, company, can } = useShop();
  const [rotating, setRotating] = useState(false);
  const [shown, setShown] = useState<{ secret: string; fresh: boolean } | null>(null);
  const incoming = useQuery({
    queryKey: [company.id, 'webhook-secrets'],
    queryFn: ({ signal }) => ok(api.GET('/webhook-secrets', { signal })),
  });
  const show = useWrite({
    mutationFn: (id: number) => ok(api.POST('/webhook-secrets/show/{id}', { params: { path: { id } } })),
    onSuccess: ({ secret }) => setShown({ secret, fresh: false }),
    onError: sayError,
  });
  return (
    <>
      <PageHeader title={t('developers.incoming')}>
        {can('keys:write') ? <Button onClick={() => setRotating(true)}>{t('incoming.rotate')}</Button> : null}
      </PageHeader>
      <DeveloperTabs current="developers/incoming" />
      <Loaded query={incoming}>
        {(data) => (
          <div className="stack">
            <Secrets
              secrets={data.secrets}
              busy={show.isPending ? show.variables : null}
              onShow={can('keys:write') ? show.mutate : null}
            />
            <HowTo incoming={data} />
          </div>
        )}
      </Loaded>
      {rotating ? (
        <FormDialog
          title={t('incoming.rotate')}
          text={t('incoming.rotate.text')}
          fields={[
            {
              name: 'overlap_hours',
              label: t('incoming.overlap'),
              type: 'choice',
              required: true,
              choices: OVERLAPS.map((value) => ({ value, label: t(`incoming.overlap.${value}`) })),
            },
          ]}
          initial={{ overlap_hours: '24' }}
          submit={t('incoming.rotate')}
          save={async ({ overlap_hours }) => {
            const body = { overlap_hours: Number(overlap_hours) };
            const { secret } = await ok(api.POST('/webhook-secrets/rotate', { body }));
            setShown({ secret, fresh: true });
          }}
          onClose={() => setRotating(false)}
        />
      ) : null}
      {shown === null ? null : (
        <SecretDialog
          title={t('incoming.secret')}
          text={t(shown.fresh ? 'incoming.secret.fresh' : 'incoming.secret.text')}
          secret={shown.secret}
          onClose={() => setShown(null)}
        />
      )}
    </>
  );
}

function Secrets(props: { secrets: Secret[]; busy: number | null; onShow: ((id: number) => void) | null }) {
  const { secrets, busy, onShow } = props;
  return (
    <Section title={t('incoming.secrets')} flush>
      <SmallTable
        caption={t('incoming.secrets')}
        rows={secrets}
        keyOf={(one) => one.id}
        empty={t('incoming.none')}
        columns={[
          { title: t('field.status'), cell: (one) => <Status value={one.status} /> },
          { title: t('field.created'), cell: (one) => <Moment at={one.created_at} /> },
          { title: t('incoming.ends'), wide: true, cell: (one) => <Moment at={one.expires_at} /> },
          {
            title: t('field.actions'),
            right: true,
            cell: (one) =>
              onShow === null || one.status === 'expired' ? null : (
                <Button
                  size="xs"
                  variant="default"
                  loading={busy === one.id}
                  aria-label={t('incoming.show_one', { id: one.id })}
                  onClick={() => onShow(one.id)}
                >
                  {t('incoming.show')}
                </Button>
              ),
          },
        ]}
      />
    </Section>
  );
}

function HowTo({ incoming }: { incoming: Incoming }) {
  const { company } = useShop();
  const example = signingExample(incoming.url, company.id);
  return (
    <Section
      title={t('incoming.how')}
      actions={
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="copy" size={15} />}
          onClick={() => void copyText(example)}
        >
          {t('action.copy')}
        </Button>
      }
    >
      <div className="stack">
        <Facts
          facts={[
            [t('incoming.address'), <code key="address">{incoming.url}</code>],
            [
              t('incoming.timestamp'),
              t(incoming.require_timestamp ? 'incoming.timestamp.yes' : 'incoming.timestamp.no'),
            ],
          ]}
        />
        <p>{t('incoming.how.text')}</p>
        <pre className={secretCss.secret}>{example}</pre>
      </div>
    </Section>
  );
}
