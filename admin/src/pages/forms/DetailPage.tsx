import { Button } from '@mantine/core';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { copyText } from '../../ui/clipboard.ts';
import { DetailColumns, Facts, Loaded, Section } from '../../ui/DetailPage.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { useEveryList } from '../lists/queries.ts';
import css from './forms.module.css';
import { Preview } from './Preview.tsx';
import { type SignupForm, useForm } from './queries.ts';
import { SignUps } from './SignUps.tsx';

export function DetailPage() {
  return <Loaded query={useForm(useId())}>{(form) => <FormPage form={form} />}</Loaded>;
}

/** A signup form: its results, its appearance, and how to embed it in a site. */
function FormPage({ form }: { form: SignupForm }) {
  const { can } = useShop();
  const format = useFormat();
  const names = new Map(useEveryList().data?.map((list) => [list.list_id, list.name]));
  const share = form.submissions === 0 ? '–' : format.percent(Number((form.confirmed / form.submissions).toFixed(3)));
  return (
    <>
      <PageHeader title={form.name} back={{ path: 'forms', text: t('nav.forms') }}>
        {can('marketing:write') ? (
          <Button component={Anchor} path={`forms/${form.form_id}/edit`} variant="default">
            {t('action.edit')}
          </Button>
        ) : null}
      </PageHeader>
      <DetailColumns
        side={
          <>
            <Section title={t('form.signups')}>
              <Facts
                facts={[
                  [t('form.submissions'), format.number(form.submissions)],
                  [t('form.confirmed'), format.number(form.confirmed)],
                  [t('form.rate'), share],
                ]}
              />
            </Section>
            <Section title={t('section.details')}>
              <Facts
                facts={[
                  [t('form.lists'), form.list_ids.map((id) => names.get(id) ?? `#${id}`).join(', ')],
                  [t('form.channels'), form.channels.map((channel) => tOf('channel', channel)).join(', ')],
                  [t('form.consent_text'), form.consent_text],
                  [t('form.double_opt_in'), form.double_opt_in ? t('choice.yes') : t('choice.no')],
                  [t('form.origins'), form.allowed_origins.join(', ')],
                  [t('field.changed'), <Moment key="changed" at={form.updated_at} />],
                ]}
              />
            </Section>
          </>
        }
      >
        <SignUps id={form.form_id} />
        <Section
          title={t('form.page')}
          flush
          actions={
            <a href={form.page_url} target="_blank" rel="noreferrer">
              {t('form.page.open')}
            </a>
          }
        >
          <Preview form={form} />
        </Section>
        <Embed form={form} />
      </DetailColumns>
    </>
  );
}

function Embed({ form }: { form: SignupForm }) {
  return (
    <Section
      title={t('form.embed')}
      actions={
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="copy" size={14} />}
          onClick={() => void copyText(form.embed)}
        >
          {t('action.copy')}
        </Button>
      }
    >
      <p className="dim">{t('form.embed.help')}</p>
      <pre className={css.embed}>{form.embed}</pre>
    </Section>
  );
}
