import { SegmentedControl, Switch } from '@mantine/core';
import { useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Section } from '../../ui/DetailPage.tsx';
import css from './Content.module.css';
import { type Message, titleOf } from './queries.ts';

const VIEWS = ['message', 'text', 'source', 'headers'] as const;
type View = (typeof VIEWS)[number];

/** A message as its recipient sees it. */
export function Content({ message }: { message: Message }) {
  return message.channel === 'sms' ? <Sms text={message.text} /> : <Mail message={message} />;
}

function Sms({ text }: { text: string }) {
  return (
    <Section title={t('mailbox.view.message')} flush>
      <div className={css.stage}>
        <p className={css.sms}>{text}</p>
      </div>
    </Section>
  );
}

/** An e-mail in a frame without an origin, where no script runs; its parts as text next to it. */
function Mail({ message }: { message: Message }) {
  const { company } = useShop();
  const [values, change] = useSearchValues();
  const view: View = VIEWS.find((one) => one === values.view) ?? 'message';
  const phone = values.width === 'phone';
  const dark = values.dark === '1';
  return (
    <Section title={t('mailbox.email')} flush>
      <div className={css.tools}>
        <SegmentedControl
          size="xs"
          aria-label={t('mailbox.view')}
          value={view}
          data={VIEWS.map((value) => ({ value, label: tOf('mailbox.view', value) }))}
          onChange={(next) => change({ view: next === 'message' ? '' : next })}
        />
        {view === 'message' ? (
          <>
            <SegmentedControl
              size="xs"
              aria-label={t('mailbox.width')}
              value={phone ? 'phone' : 'desktop'}
              data={(['desktop', 'phone'] as const).map((value) => ({ value, label: tOf('mailbox.width', value) }))}
              onChange={(next) => change({ width: next === 'phone' ? 'phone' : '' })}
            />
            <Switch
              size="xs"
              label={t('mailbox.dark')}
              checked={dark}
              onChange={({ currentTarget }) => change({ dark: currentTarget.checked ? '1' : '' })}
            />
          </>
        ) : null}
      </div>
      {view === 'message' ? (
        <div className={css.stage}>
          <iframe
            key={String(dark)}
            className={css.frame}
            data-phone={phone || undefined}
            data-dark={dark || undefined}
            sandbox=""
            title={titleOf(message)}
            src={`/admin/messages/${company.id}/${message.id}`}
          />
        </div>
      ) : (
        <section aria-label={tOf('mailbox.view', view)}>
          <pre className={css.text}>{partOf(message, view)}</pre>
        </section>
      )}
    </Section>
  );
}

function partOf({ text, html, headers }: Message, view: Exclude<View, 'message'>): string {
  if (view === 'text') return text;
  if (view === 'source') return html ?? text;
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');
}
