import { useNavigate } from 'react-router'
import { answer, client, ifMatch } from '../../../client/client.ts'
import type { Feed } from '../../../client/types.ts'
import { DeleteButton } from '../../../components/form/delete-button.tsx'
import { PanelCard } from '../../../components/page/panel-card.tsx'
import { changedFields } from '../../../data/changes/changed-fields.ts'
import { useChange } from '../../../data/changes/use-change.ts'
import { useSave } from '../../../data/use-save.ts'
import { t } from '../../../messages/pages/shop/feeds.ts'
import { FeedForm, feedBody, useFeedForm, valuesOf } from './feed-form.tsx'
import { acceptedBy, runPaths } from './runs/runs.ts'

/** The settings of a feed. */
export function FeedSettings({ feed }: { feed: Feed }) {
  const navigate = useNavigate()
  const form = useFeedForm(valuesOf(feed))
  const params = { path: { id: feed.id } }
  const change = useChange({
    form,
    path: '/v1/panel/feeds/{id}',
    entity: feed,
    valuesOf,
    send({ before, after, header }) {
      const body = changedFields(feedBody({ ...before, password: '' }), feedBody(after))
      return answer(client.PATCH('/v1/panel/feeds/{id}', { params: { ...params, header }, body }))
    },
    changes: runPaths,
    saved: t('feedSaved'),
  })
  const removal = useSave({
    save: () => answer(client.DELETE('/v1/panel/feeds/{id}', { params: { ...params, header: ifMatch(feed.version) } })),
    changes: runPaths,
    form,
    saved: t('feedDeleted'),
    onSaved: () => navigate('/feeds'),
  })
  return (
    <PanelCard title={t('settings')}>
      <FeedForm
        form={form}
        feed={feed}
        isSaving={change.isSaving}
        clashes={change}
        onSubmit={() => void change.submit()}
      >
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
