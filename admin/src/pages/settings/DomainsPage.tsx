import './domains-texts.ts';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Empty } from '../../ui/states.tsx';
import { Domain } from './Domain.tsx';
import css from './Domains.module.css';
import { Tabs } from './Tabs.tsx';

/** More than a company may have. */
const ALL = 100;

/** The domains that e-mails are sent from, with the DNS records to set. */
export function DomainsPage() {
  const { api, company, can } = useShop();
  const [adding, setAdding] = useState(false);
  const domains = useQuery({
    queryKey: [company.id, 'sending-domains'],
    queryFn: async ({ signal }) =>
      (await ok(api.GET('/sending-domains', { params: { query: { per_page: ALL } }, signal }))).sending_domains,
  });
  const add = can('company:write') ? <Button onClick={() => setAdding(true)}>{t('domains.add')}</Button> : null;
  return (
    <>
      <Tabs current="domains" />
      <Loaded query={domains}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon="send" title={t('domains.empty')} text={t('domains.empty.text')}>
              {add}
            </Empty>
          ) : (
            <div className="stack">
              <div className={css.head}>
                <p>{t('domains.intro')}</p>
                {add}
              </div>
              {rows.map((domain) => (
                <Domain key={domain.domain_id} domain={domain} />
              ))}
            </div>
          )
        }
      </Loaded>
      {adding ? (
        <FormDialog<{ domain: string }>
          title={t('domains.add')}
          fields={[
            {
              name: 'domain',
              label: t('domains.domain'),
              type: 'text',
              required: true,
              help: t('domains.domain.help'),
            },
          ]}
          submit={t('action.create')}
          save={(body) => ok(api.POST('/sending-domains', { body }))}
          onClose={() => setAdding(false)}
        />
      ) : null}
    </>
  );
}
