/** A campaign of any company, as the worker finds it. */
export interface CampaignRef {
  company_id: number;
  id: number;
}
