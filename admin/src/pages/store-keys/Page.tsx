import '../payment-methods/texts.ts';
import { ActionIcon, Button, Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { copyText } from '../../ui/clipboard.ts';
import { Loaded, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { Moment } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';
import { useLocations } from '../inventory/locations/queries.ts';
import { PaymentTabs } from '../payment-methods/Tabs.tsx';
import { KeyDialog } from './KeyDialog.tsx';

type StoreKey = Model<'StoreKey'>;

/** The keys with which browsers and apps of shoppers use the store interface. */
export function Page() {
  const { api, company, can } = useShop();
  const [edited, setEdited] = useState<StoreKey | 'new' | null>(null);
  const keys = useQuery({
    queryKey: [company.id, 'store-keys'],
    queryFn: async ({ signal }) => (await ok(api.GET('/store-keys', { signal }))).store_keys,
  });
  return (
    <>
      <PageHeader title={t('store_key.title')}>
        {can('keys:write') ? <Button onClick={() => setEdited('new')}>{t('store_key.new')}</Button> : null}
      </PageHeader>
      <PaymentTabs current="payment-methods/store-keys" />
      <Loaded query={keys}>{(rows) => <Keys keys={rows} onEdit={setEdited} />}</Loaded>
      {edited === null ? null : (
        <KeyDialog storeKey={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
    </>
  );
}

function Keys({ keys, onEdit }: { keys: StoreKey[]; onEdit: (key: StoreKey) => void }) {
  const { can } = useShop();
  const { data: locations = [] } = useLocations();
  const placeOf = ({ location_id: id }: StoreKey): string =>
    id === null ? t('store_key.every_location') : (locations.find((one) => one.id === id)?.name ?? `#${id}`);
  return (
    <Section title={t('store_key.title')} flush>
      <SmallTable
        caption={t('store_key.title')}
        rows={keys.toReversed()}
        keyOf={(key) => key.id}
        empty={t('store_key.empty')}
        intro={t('store_key.intro')}
        columns={[
          {
            title: t('field.name'),
            cell: (key) => (
              <>
                <span className="row">
                  {key.name}
                  {key.revoked_at === null ? <Copy storeKey={key} /> : null}
                </span>
                <code className="dim break">{key.key}</code>
              </>
            ),
          },
          {
            title: t('store_key.origins'),
            wide: true,
            cell: ({ origins }) =>
              origins.length === 0 ? <span className="dim">{t('store_key.no_site')}</span> : origins.join(', '),
          },
          ...(locations.length > 1 ? [{ title: t('store_key.location'), wide: true as const, cell: placeOf }] : []),
          {
            title: t('field.status'),
            cell: ({ revoked_at }) => <Status value={revoked_at === null ? 'active' : 'revoked'} />,
          },
          { title: t('field.created'), wide: true, cell: (key) => <Moment at={key.created_at} /> },
          {
            title: t('field.actions'),
            right: true,
            cell: (key) =>
              can('keys:write') && key.revoked_at === null ? <Actions storeKey={key} onEdit={onEdit} /> : null,
          },
        ]}
      />
    </Section>
  );
}

function Copy({ storeKey: { name, key } }: { storeKey: StoreKey }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={t('store_key.copy', { name })}
      onClick={() => void copyText(key, t('store_key.copied'))}
    >
      <Icon name="copy" size={16} />
    </ActionIcon>
  );
}

function Actions({ storeKey, onEdit }: { storeKey: StoreKey; onEdit: (key: StoreKey) => void }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const { id, name } = storeKey;
  const revoke = useWrite({
    mutationFn: () => ok(api.DELETE('/store-keys/{id}', { params: { path: { id } } })),
    onSuccess: () => {
      say(t('store_key.revoked'));
      return client.invalidateQueries({ queryKey: [company.id, 'store-keys'] });
    },
    onError: sayError,
  });
  const askRevoke = async (): Promise<void> => {
    const sure = await ask({
      title: t('store_key.revoke.title', { name }),
      text: t('store_key.revoke.text'),
      action: t('store_key.revoke'),
    });
    if (sure) revoke.mutate();
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="default" aria-label={t('store_key.actions', { name })} loading={revoke.isPending}>
          <Icon name="dots" size={16} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onEdit(storeKey)}>{t('action.edit')}</Menu.Item>
        <Menu.Item color="red" onClick={() => void askRevoke()}>
          {t('store_key.revoke')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
