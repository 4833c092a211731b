"""The reference of ``passfloor.stats`` leaves nothing out."""

from passfloor import stats


def test_every_public_name_of_the_statistics_has_its_section(every_page) -> None:
    page = every_page["docs/reference/stats.md"]
    for name in stats.__all__:
        assert f"\n### {name}\n" in page, name
    assert page.count("\n### ") == len(stats.__all__)
