import '../templates/texts.ts';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { DetailColumns, Facts, Loaded, Section } from '../../ui/DetailPage.tsx';
import { Moment, useFormat } from '../../ui/format.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';
import { Reason } from '../../ui/words/Reason.tsx';
import { LivePreview } from '../templates/LivePreview.tsx';
import { useTemplate } from '../templates/queries.ts';
import { Actions } from './Actions.tsx';
import css from './DetailPage.module.css';
import { HoldOut } from './HoldOut.tsx';
import { LinkMap } from './LinkMap.tsx';
import { type Campaign, useCampaign } from './queries.ts';
import { Recipients } from './Recipients.tsx';
import { Report } from './Report.tsx';

export function DetailPage() {
  return <Loaded query={useCampaign(useId())}>{(campaign) => <CampaignPage campaign={campaign} />}</Loaded>;
}

function CampaignPage({ campaign }: { campaign: Campaign }) {
  const { can } = useShop();
  const format = useFormat();
  const { status, counts, recipients, recipients_exact } = campaign;
  const isBegun = status !== 'draft' && status !== 'scheduled';
  const settled = counts.sent + counts.failed + counts.skipped + counts.unknown;
  return (
    <>
      <PageHeader
        title={campaign.name}
        back={{ path: 'campaigns', text: t('nav.campaigns') }}
        badge={<Status value={status} />}
      >
        {can('marketing:write') ? <Actions campaign={campaign} /> : null}
      </PageHeader>
      {status === 'sending' || status === 'paused' ? (
        <Section title={t('campaign.progress')}>
          <progress
            className={css.progress}
            value={settled}
            max={Math.max(1, recipients)}
            aria-label={t('campaign.progress')}
          />
          <p className="dim">
            {t('campaign.progress.text', { done: format.number(settled), all: format.number(recipients) })}
          </p>
          {campaign.batch_progress === null ? null : <Batches campaign={campaign} progress={campaign.batch_progress} />}
          {campaign.warm_up == null ? null : <WarmingUp progress={campaign.warm_up} />}
        </Section>
      ) : null}
      <DetailColumns
        side={
          <Section title={t('section.details')}>
            <Facts
              facts={[
                [t('template.channel'), tOf('channel', campaign.type)],
                [t('campaign.recipients'), recipients_exact ? format.number(recipients) : t('campaign.counting')],
                [t('template.subject'), campaign.subject],
                [t('campaign.from'), campaign.from],
                [t('field.reason'), campaign.reason === null ? null : <Reason key="reason" value={campaign.reason} />],
                campaign.scheduled_at === null
                  ? null
                  : [t('campaign.scheduled_at'), <Moment key="at" at={campaign.scheduled_at} />],
                campaign.send_in_contact_time_zone ? [t('campaign.zones'), t('campaign.zones.fact')] : null,
                campaign.holdout_percent === 0
                  ? null
                  : [t('campaign.hold_out'), format.percent(campaign.holdout_percent / 100)],
                campaign.started_at === null
                  ? null
                  : [t('campaign.started'), <Moment key="started" at={campaign.started_at} />],
                campaign.finished_at === null
                  ? null
                  : [t('campaign.finished'), <Moment key="finished" at={campaign.finished_at} />],
                [t('field.created'), <Moment key="created" at={campaign.created_at} />],
              ]}
            />
          </Section>
        }
      >
        {isBegun ? <Report campaign={campaign} /> : null}
        {isBegun ? <HoldOut campaign={campaign} /> : null}
        {isBegun ? <LinkMap campaign={campaign} /> : null}
        {isBegun ? <Recipients campaign={campaign} /> : null}
        {campaign.template_id === null ? <OwnContent campaign={campaign} /> : <OfTemplate campaign={campaign} />}
      </DetailColumns>
    </>
  );
}

/** How far it is, and when the next batch and the last one begin. */
function Batches(props: { campaign: Campaign; progress: NonNullable<Campaign['batch_progress']> }) {
  const format = useFormat();
  const { size, released, next_at, ends_at } = props.progress;
  const all = format.number(props.campaign.recipients);
  return (
    <>
      <p>{t('campaign.batch.progress', { size: format.number(size), released: format.number(released), all })}</p>
      {next_at === null || ends_at === null ? null : (
        <Facts
          facts={[
            [t('campaign.batch.next'), <Moment key="next" at={next_at} />],
            [t('campaign.batch.last'), <Moment key="last" at={ends_at} />],
          ]}
        />
      )}
    </>
  );
}

/** Explains why it takes days. */
function WarmingUp({ progress }: { progress: NonNullable<Campaign['warm_up']> }) {
  const format = useFormat();
  const { domain, today, handed_over_today, completes_on } = progress;
  return (
    <p>
      {t('campaign.warm_up', {
        domain,
        today: format.number(today),
        done: format.number(handed_over_today),
        day: format.day(completes_on),
      })}
    </p>
  );
}

function OwnContent({ campaign }: { campaign: Campaign }) {
  const { type: channel, subject, preview_text, content, from } = campaign;
  if (content === null) return null;
  return <LivePreview written={{ channel, subject: subject ?? '', preview_text: preview_text ?? '', content, from }} />;
}

function OfTemplate({ campaign }: { campaign: Campaign }) {
  const { data } = useTemplate(campaign.template_id!);
  if (data === undefined) return null;
  const { subject, preview_text } = campaign;
  return (
    <OwnContent
      campaign={{
        ...campaign,
        content: data.content,
        subject: subject ?? data.subject,
        preview_text: preview_text ?? data.preview_text,
      }}
    />
  );
}
