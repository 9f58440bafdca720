import campaigns from './en/campaigns.json';
import flowBuilder from './en/flow-builder.json';
import templates from './en/templates.json';

export default {
  ...campaigns,
  ...flowBuilder,
  ...templates,
};
