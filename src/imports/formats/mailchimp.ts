import { column, type Fields, type Format } from './format.ts';

/**
 * Audience → Export Audience: one file each of subscribed, unsubscribed, cleaned and non-subscribed contacts. The file does not
 * say which it is, so the import asks for the consent.
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
    column('cleaned_at', 'CLEAN_TIME'),
    column('property:address', 'Address'),
    column('property:birthday', 'Birthday'),
    column('property:country', 'CC'),
    column('property:mailchimp_notes', 'NOTES'),
  ],
  drops: [
    ...['MEMBER_RATING', 'OPTIN_TIME', 'OPTIN_IP', 'LATITUDE', 'LONGITUDE', 'GMTOFF', 'DSTOFF', 'TIMEZONE', 'REGION'],
    ...['LAST_CHANGED', 'LEID', 'EUID', 'UNSUB_CAMPAIGN_TITLE', 'UNSUB_CAMPAIGN_ID', 'UNSUB_REASON'],
    ...['UNSUB_REASON_OTHER', 'CLEAN_CAMPAIGN_TITLE', 'CLEAN_CAMPAIGN_ID'],
  ],
  read(fields: Fields): Fields {
    // Columns that only the files of those who left, or whose address bounced, have.
    if (fields.left_at !== undefined) return { ...fields, email_consent: 'unsubscribed' };
    return fields.cleaned_at === undefined ? fields : { ...fields, bounced: 'yes' };
  },
};
