import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ok } from '../../../api/client.ts';
import { useGo, useId, useSearchValues } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Anchor } from '../../../ui/Anchor.tsx';
import { useWrite } from '../../../ui/actions/useWrite.ts';
import { Loaded, LoadedPart, Section } from '../../../ui/DetailPage.tsx';
import { ask } from '../../../ui/Dialogs.tsx';
import { say, textOf } from '../../../ui/messages.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { type Contact, nameOf, useContact } from '../queries.ts';
import { Candidates } from './Candidates.tsx';
import css from './MergePage.module.css';
import { areTwoOfShop } from './merged.ts';
import { SideBySide } from './SideBySide.tsx';

/** Finds the other contact, shows both next to the result, and merges them. */
export function MergePage() {
  return <Loaded query={useContact(useId())}>{(contact) => <Merge contact={contact} />}</Loaded>;
}

function Merge({ contact }: { contact: Contact }) {
  const [values, change] = useSearchValues();
  const other = Number(values.other) || null;
  return (
    <>
      <PageHeader
        title={t('contact.merge.title', { name: nameOf(contact) })}
        back={{ path: `contacts/${contact.contact_id}`, text: nameOf(contact) }}
      />
      <div className="stack">
        <Section title={t('contact.merge.search')}>
          <Candidates
            contact={contact}
            chosen={other}
            onChoose={(one) => change({ other: String(one.contact_id) }, 'push')}
          />
        </Section>
        {other === null || other === contact.contact_id ? null : <WithOther contact={contact} id={other} />}
      </div>
    </>
  );
}

function WithOther({ contact, id }: { contact: Contact; id: number }) {
  const query = useContact(id);
  return (
    <Section title={t('contact.merge.compare')} flush>
      <LoadedPart query={query}>
        {(other) => (
          <>
            <SideBySide contact={contact} other={other} />
            <div className={css.foot}>
              <Confirm contact={contact} other={other} />
            </div>
          </>
        )}
      </LoadedPart>
    </Section>
  );
}

function Confirm({ contact, other }: { contact: Contact; other: Contact }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const go = useGo();
  const path = `contacts/${contact.contact_id}`;
  const merge = useWrite({
    mutationFn: () =>
      ok(
        api.POST('/contacts/{id}/merge', {
          params: { path: { id: contact.contact_id } },
          body: { other_contact_id: other.contact_id },
        }),
      ),
    onSuccess: async () => {
      go(path, { replace: true });
      client.removeQueries({ queryKey: [company.id, 'contacts', other.contact_id] });
      await client.invalidateQueries({ queryKey: [company.id] });
      say(t('contact.merge.done', { other: nameOf(other), name: nameOf(contact) }));
    },
  });
  const confirm = async (): Promise<void> => {
    const names = { other: nameOf(other), name: nameOf(contact) };
    const question = { title: t('contact.merge.sure', names), text: t('contact.merge.text', names) };
    if (await ask({ ...question, action: t('contact.merge.action') })) merge.mutate();
  };
  if (areTwoOfShop(contact, other)) return <p role="alert">{t('contact.merge.two')}</p>;
  return (
    <>
      {merge.error === null ? null : (
        <p role="alert" className={css.problem}>
          {textOf(merge.error)}
        </p>
      )}
      <div className="row">
        <span className="grow" />
        <Button component={Anchor} path={path} variant="default">
          {t('action.cancel')}
        </Button>
        <Button loading={merge.isPending} onClick={() => void confirm()}>
          {t('contact.merge.action')}
        </Button>
      </div>
    </>
  );
}
