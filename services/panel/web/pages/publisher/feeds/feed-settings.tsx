import { useNavigate } from 'react-router'
import { answer, client } from '../../../client/client.ts'
import type { Feed } from '../../../client/types.ts'
import { DeleteButton } from '../../../components/form/delete-button.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { changedFields } from '../../../data/changed-fields.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shop/feeds.ts'
import { FeedForm, type FeedValues, feedBody, useFeedForm } from './feed-form.tsx'
import { acceptedBy, runPaths } from './runs/runs.ts'

/** The settings of a feed. */
export function FeedSettings({ feed }: { feed: Feed }) {
  const navigate = useNavigate()
  const form = useFeedForm({ feed })
  const params = { path: { id: feed.id } }
  const { submit, isSaving } = useSave({
    save(values: FeedValues) {
      const body = changedFields(feedBody({ ...form.getInitialValues(), password: '' }), feedBody(values))
      return answer(client.PATCH('/v1/panel/feeds/{id}', { params, body }))
    },
    changes: runPaths,
    form,
    saved: t('feedSaved'),
  })
  const removal = useSave({
    save: () => answer(client.DELETE('/v1/panel/feeds/{id}', { params })),
    changes: runPaths,
    form,
    saved: t('feedDeleted'),
    onSaved: () => navigate('/feeds'),
  })
  return (
    <PanelCard title={t('settings')}>
      <FeedForm form={form} feed={feed} isSaving={isSaving} onSubmit={(values) => void submit(values)}>
        <DeleteButton
          what={t('deleteWhat')}
          name={feed.name}
          message={t('deleteMeans', { count: feed.lastRun ? acceptedBy(feed.lastRun) : 0 })}
          onConfirm={() => removal.submit(undefined)}
          path="/v1/panel/feeds/{id}/deletion"
          id={feed.id}
        />
      </FeedForm>
    </PanelCard>
  )
}
