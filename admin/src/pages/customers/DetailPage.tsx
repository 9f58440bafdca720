import { Button, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../api/client.ts';
import { useGo, useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { MoreMenu } from '../../ui/actions/MoreMenu.tsx';
import { DetailColumns, Facts, Loaded, Section } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { useAuditFact } from '../../ui/words/audit.tsx';
import { metadataFacts } from '../../ui/words/metadata.ts';
import { Tags } from '../contacts/Tags.tsx';
import { customFacts } from '../custom-fields/fields.tsx';
import { useCustomFields } from '../custom-fields/queries.ts';
import { Notes } from '../notes/Notes.tsx';
import { CustomerAccount } from './Account.tsx';
import { Consent } from './Consent.tsx';
import { ContactLink } from './ContactLink.tsx';
import { MergeDialog } from './MergeDialog.tsx';
import { Messages } from './Messages.tsx';
import { Orders } from './Orders.tsx';
import { Points } from './Points.tsx';
import { type Customer, nameOf, useContactOf, useCustomer, useFigures } from './queries.ts';
import { SavedMethods } from './SavedMethods.tsx';
import { Subscriptions } from './Subscriptions.tsx';

export function DetailPage() {
  return <Loaded query={useCustomer(useId())}>{(customer) => <CustomerPage customer={customer} />}</Loaded>;
}

/** Everything about one person, for whoever is on the phone with them. */
function CustomerPage({ customer }: { customer: Customer }) {
  const { can } = useShop();
  const { id } = customer;
  return (
    <>
      <PageHeader title={nameOf(customer)} back={{ path: 'customers', text: t('nav.customers') }}>
        {can('customers:write') ? <Actions customer={customer} /> : null}
      </PageHeader>
      <DetailColumns side={<Side customer={customer} />}>
        <Orders id={id} />
        {can('subscriptions:read') ? <Subscriptions id={id} /> : null}
        <SavedMethods id={id} />
        <Points id={id} />
        {can('marketing:read') ? <Messages id={id} /> : null}
      </DetailColumns>
    </>
  );
}

function Side({ customer }: { customer: Customer }) {
  const format = useFormat();
  const { data: fields = [] } = useCustomFields('customer');
  const { can } = useShop();
  const { data: figures } = useFigures(customer.id, can('orders:read'));
  const contact = useContactOf(customer.id);
  const audit = useAuditFact(`customer:${customer.id}`);
  const place = [customer.shipping_zip, customer.shipping_city, customer.shipping_state].filter(Boolean).join(' ');
  return (
    <>
      <Notes subject={{ kind: 'customer', id: customer.id }} />
      <Section title={t('section.details')}>
        <Facts
          facts={[
            contact == null ? null : [t('field.contact'), <ContactLink key="contact" customer={customer.id} />],
            [t('field.email'), customer.email],
            [t('field.phone'), customer.phone],
            [t('field.address'), customer.shipping_address],
            [t('field.city'), place],
            [t('field.country'), customer.shipping_country],
            [t('customer.marketing'), customer.accepts_marketing ? t('choice.yes') : t('choice.no')],
            ...metadataFacts(customer.metadata),
            ...customFacts(fields, customer.custom, format),
            ...(figures === undefined
              ? []
              : ([
                  [t('customer.spent'), format.money(figures.spent, figures.currency)],
                  [t('customer.refunded'), format.money(figures.refunded, figures.currency)],
                  [t('customer.net'), format.money(figures.net, figures.currency)],
                ] as const)),
            [t('field.created'), <Moment key="created" at={customer.created_at} />],
            audit,
          ]}
        />
      </Section>
      {contact == null ? null : <Tags id={contact} list="customers" />}
      <CustomerAccount customer={customer} />
      {can('marketing:read') ? <Consent id={customer.id} /> : null}
    </>
  );
}

function Actions({ customer }: { customer: Customer }) {
  const { can } = useShop();
  const erase = useErase(customer);
  const [merging, setMerging] = useState(false);
  return (
    <>
      <Button component={Anchor} path={`customers/${customer.id}/edit`} variant="default">
        {t('action.edit')}
      </Button>
      {can('customers:erase') ? (
        <MoreMenu>
          <Menu.Item onClick={() => setMerging(true)}>{t('customer.merge')}</Menu.Item>
          <Menu.Item color="red" onClick={() => void erase()}>
            {t('customer.erase')}
          </Menu.Item>
        </MoreMenu>
      ) : null}
      {merging ? <MergeDialog customer={customer} onClose={() => setMerging(false)} /> : null}
    </>
  );
}

function useErase(customer: Customer): () => Promise<void> {
  const { api, company } = useShop();
  const client = useQueryClient();
  const go = useGo();
  return async () => {
    const sure = await ask({
      title: t('customer.erase.title', { name: nameOf(customer) }),
      text: t('customer.erase.text'),
      action: t('customer.erase'),
      typed: customer.email,
    });
    if (!sure) return;
    try {
      await dataOf(api.DELETE('/customers/{id}', { params: { path: { id: customer.id } } }));
      go('customers', { replace: true });
      client.removeQueries({ queryKey: [company.id, 'customers', customer.id] });
      await client.invalidateQueries({ queryKey: [company.id] });
      say(t('customer.erased.done'));
    } catch (error) {
      sayError(error);
    }
  };
}
