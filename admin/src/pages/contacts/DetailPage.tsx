import { Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type BodyOf, ok } from '../../api/client.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { MoreMenu } from '../../ui/actions/MoreMenu.tsx';
import { useAct } from '../../ui/actions/useAct.ts';
import { DetailColumns, Facts, Loaded, Section } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Moment } from '../../ui/format.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';
import { useEveryList } from '../lists/queries.ts';
import { AsCustomer } from './AsCustomer.tsx';
import { Consents } from './Consents.tsx';
import { History } from './History.tsx';
import { type Contact, nameOf, useContact, useCustomerOf } from './queries.ts';
import { shownStatus } from './status.ts';
import { Tags } from './Tags.tsx';

export function DetailPage() {
  return <Loaded query={useContact(useId())}>{(contact) => <ContactPage contact={contact} />}</Loaded>;
}

/** Everything that marketing knows about one person. */
function ContactPage({ contact }: { contact: Contact }) {
  const { can, company } = useShop();
  const customer = useCustomerOf(contact.contact_id);
  const properties = Object.entries(contact.properties).map(
    ([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)] as const,
  );
  return (
    <>
      <PageHeader
        title={nameOf(contact)}
        back={{ path: 'contacts', text: t('nav.contacts') }}
        badge={<Status value={shownStatus(contact)} />}
      >
        {can('marketing:write') ? (
          <Actions contact={contact} />
        ) : (
          <Button component="a" variant="default" {...exportOf(company.id, contact)}>
            {t('contact.export')}
          </Button>
        )}
      </PageHeader>
      <DetailColumns
        side={
          <>
            {customer === null ? null : <AsCustomer id={customer} />}
            <Section title={t('section.details')}>
              <Facts
                facts={[
                  [t('field.email'), contact.email],
                  [t('field.phone'), contact.phone],
                  [t('field.external_id'), contact.external_id],
                  [t('contact.source'), contact.source],
                  [t('contact.time_zone'), contact.time_zone ?? '–'],
                  [t('field.created'), <Moment key="created" at={contact.created_at} />],
                  [
                    t('contact.last_activity'),
                    contact.last_activity_at == null ? '–' : <Moment key="activity" at={contact.last_activity_at} />,
                  ],
                ]}
              />
            </Section>
            <Tags id={contact.contact_id} list="contacts" />
            <Memberships contact={contact} />
            <Consents id={contact.contact_id} />
            {properties.length === 0 ? null : (
              <Section title={t('contact.properties')}>
                <Facts facts={properties} />
              </Section>
            )}
          </>
        }
      >
        <History id={contact.contact_id} />
      </DetailColumns>
    </>
  );
}

function Memberships({ contact }: { contact: Contact }) {
  const { data } = useEveryList(contact.lists.length > 0);
  if (contact.lists.length === 0) return null;
  const names = new Map(data?.map((list) => [list.list_id, list.name]));
  return (
    <Section title={t('nav.lists')}>
      <ul className="plain">
        {contact.lists.map(({ list_id, status }) => (
          <li key={list_id}>
            <Anchor path={`lists/${list_id}`}>{names.get(list_id) ?? `#${list_id}`}</Anchor>{' '}
            {status === 'active' ? null : <span className="dim">{tOf('status', status)}</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Actions({ contact }: { contact: Contact }) {
  const { api, company } = useShop();
  const erase = useErase(contact);
  const [resubscribing, setResubscribing] = useState(false);
  const params = { path: { id: contact.contact_id } };
  const act = useAct();
  const unsubscribe = async (): Promise<void> => {
    const text = t('contact.unsubscribe.text');
    if (!(await ask({ title: t('contact.unsubscribe'), text, action: t('contact.unsubscribe') }))) return;
    await act(() => ok(api.POST('/contacts/unsubscribe/{id}', { params })), t('form.saved'));
  };
  return (
    <>
      <Button component={Anchor} path={`contacts/${contact.contact_id}/edit`} variant="default">
        {t('action.edit')}
      </Button>
      <MoreMenu>
        {contact.status === 'subscribed' ? (
          <Menu.Item onClick={() => void unsubscribe()}>{t('contact.unsubscribe')}</Menu.Item>
        ) : (
          <Menu.Item onClick={() => setResubscribing(true)}>{t('contact.resubscribe')}</Menu.Item>
        )}
        <Menu.Item component={Anchor} path={`contacts/${contact.contact_id}/merge`}>
          {t('contact.merge')}
        </Menu.Item>
        <Menu.Item component="a" {...exportOf(company.id, contact)}>
          {t('contact.export')}
        </Menu.Item>
        <Menu.Item color="red" onClick={() => void erase()}>
          {t('contact.erase')}
        </Menu.Item>
      </MoreMenu>
      {resubscribing ? (
        <FormDialog<BodyOf<'/contacts/resubscribe/{id}', 'post'>>
          title={t('contact.resubscribe')}
          text={t('contact.resubscribe.text')}
          fields={[
            {
              name: 'reason',
              label: t('field.reason'),
              type: 'text',
              required: true,
              help: t('contact.resubscribe.help'),
            },
          ]}
          submit={t('contact.resubscribe')}
          save={(body) => ok(api.POST('/contacts/resubscribe/{id}', { params, body }))}
          done={t('form.saved')}
          onClose={() => setResubscribing(false)}
        />
      ) : null}
    </>
  );
}

/** Link to everything that is stored about the contact, as a file that the browser saves while it is received. */
function exportOf(companyId: number, { contact_id }: Contact): { href: string; download: string } {
  return { href: `/admin/api/${companyId}/contacts/${contact_id}/export`, download: `contact-${contact_id}.json` };
}

function useErase(contact: Contact): () => Promise<void> {
  const { api, company } = useShop();
  const client = useQueryClient();
  const go = useGo();
  const id = contact.contact_id;
  return async () => {
    const sure = await ask({
      title: t('contact.erase.title', { name: nameOf(contact) }),
      text: t('contact.erase.text'),
      action: t('contact.erase'),
      typed: nameOf(contact),
    });
    if (!sure) return;
    try {
      await ok(api.DELETE('/contacts/{id}', { params: { path: { id } } }));
      go('contacts', { replace: true });
      client.removeQueries({ queryKey: [company.id, 'contacts', id] });
      await client.invalidateQueries({ queryKey: [company.id] });
      say(t('contact.erased'));
    } catch (error) {
      sayError(error);
    }
  };
}
