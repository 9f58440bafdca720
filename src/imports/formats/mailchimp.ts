import { column, type Fields, type Format } from './format.ts';

const LEFT = ['left_at', 'left_reason', 'left_campaign'] as const;
const CLEANED = ['cleaned_at', 'cleaned_campaign'] as const;

/**
 * Audience → Export Audience: one file each of subscribed, unsubscribed, cleaned and non-subscribed contacts. The file does not say which
 * it is, so the import requires the consent as an option.
 */
export const mailchimp: Format = {
  name: 'mailchimp',
  title: 'Mailchimp audience',
  kind: 'contacts',
  timeZone: 'UTC',
  keepsOthers: true,
  columns: [
    column('email', 'Email Address', 'Email'),
    column('first_name', 'First Name', 'FNAME'),
    column('last_name', 'Last Name', 'LNAME'),
    column('phone', 'Phone Number', 'PHONE'),
    column('tags', 'TAGS'),
    column('consent_at', 'CONFIRM_TIME'),
    column('consent_ip', 'CONFIRM_IP'),
    column('left_at', 'UNSUB_TIME'),
    column('left_reason', 'UNSUB_REASON'),
    column('left_campaign', 'UNSUB_CAMPAIGN_ID', 'UNSUB_CAMPAIGN_TITLE'),
    column('cleaned_at', 'CLEAN_TIME'),
    column('cleaned_campaign', 'CLEAN_CAMPAIGN_ID', 'CLEAN_CAMPAIGN_TITLE'),
    column('property:address', 'Address'),
    column('property:birthday', 'Birthday'),
    column('property:country', 'CC'),
    column('property:mailchimp_notes', 'NOTES'),
  ],
  drops: [
    ...['MEMBER_RATING', 'OPTIN_TIME', 'OPTIN_IP', 'LATITUDE', 'LONGITUDE', 'GMTOFF', 'DSTOFF', 'TIMEZONE', 'REGION'],
    ...['LAST_CHANGED', 'LEID', 'EUID', 'UNSUB_REASON_OTHER'],
  ],
  read(fields: Fields): Fields {
    // Only the files of unsubscribed or cleaned contacts have these columns; individual cells may be empty.
    if (LEFT.some((field) => fields[field] !== undefined)) return { ...fields, email_consent: 'unsubscribed' };
    return CLEANED.some((field) => fields[field] !== undefined) ? { ...fields, bounced: 'yes' } : fields;
  },
};
