import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from passfloor.errors import EnvironmentFault, KeyFileError
from passfloor.keys import files

posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are those of POSIX")


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "k.pem"
    files.write_private(path, b"secret")
    return path


def foreign(tmp_path: Path) -> Path:
    """A file of another user: root makes one, everybody else has those of root at hand."""
    if os.geteuid() != 0:
        return Path("/etc/passwd")
    path = tmp_path / "foreign.pem"
    files.write_private(path, b"secret")
    os.chown(path, 12345, -1)
    return path


def test_a_private_file_reads_back(secret: Path) -> None:
    assert files.read_private(secret) == b"secret"
    assert os.listdir(secret.parent) == ["k.pem"]


@posix
@pytest.mark.usefixtures("open_umask")
def test_files_have_their_modes_whatever_the_umask(tmp_path: Path) -> None:
    files.make_folder(tmp_path / "home")
    files.write_private(tmp_path / "home" / "k.pem", b"secret")
    files.write_public(tmp_path / "home" / "k.pub.pem", b"public")
    assert mode(tmp_path / "home") == 0o700
    assert mode(tmp_path / "home" / "k.pem") == 0o600
    assert mode(tmp_path / "home" / "k.pub.pem") == 0o644


@posix
@pytest.mark.parametrize("bits", [0o640, 0o604, 0o660, 0o644, 0o610, 0o601, 0o620])
def test_a_private_file_that_others_can_get_at_is_refused(secret: Path, bits: int) -> None:
    secret.chmod(bits)
    with pytest.raises(KeyFileError, match=rf"mode {bits:04o} .*chmod 600 {secret}"):
        files.read_private(secret)
    secret.chmod(0o400)
    assert files.read_private(secret) == b"secret"


@posix
def test_a_private_file_of_another_user_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match=r"belongs to user \d+"):
        files.read_private(foreign(tmp_path))


@posix
def test_a_private_file_behind_a_link_is_refused(secret: Path) -> None:
    link = secret.with_name("link.pem")
    link.symlink_to(secret)
    with pytest.raises(KeyFileError, match="must not be a symbolic link"):
        files.read_private(link)


@posix
def test_a_pipe_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(KeyFileError, match="not a regular file"):
        files.read_private(tmp_path / "pipe")
    with pytest.raises(KeyFileError, match="not a regular file"):
        files.read_public(tmp_path / "pipe")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match=r"absent\.pem: cannot be read \(No such file"):
        files.read_private(tmp_path / "absent.pem")
    with pytest.raises(KeyFileError, match=r"absent\.pem: cannot be read \(No such file"):
        files.read_public(tmp_path / "absent.pem")


def test_a_path_too_long_for_the_system_is_refused(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 5000)
    for read in (files.read_private, files.read_public, files.check_folder):
        with pytest.raises(KeyFileError, match="cannot be read"):
            read(path)


def test_a_public_file_is_cut_just_past_the_size_of_a_key(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"a" * 1_000_000)
    assert len(files.read_public(tmp_path / "big")) == files.MAX_KEY_BYTES + 1
    files.write_private(tmp_path / "big.pem", b"a" * 1_000_000)
    assert len(files.read_private(tmp_path / "big.pem")) == files.MAX_KEY_BYTES + 1


def test_the_names_of_an_absent_folder_are_none(tmp_path: Path) -> None:
    assert files.names(tmp_path / "absent") == []
    (tmp_path / "file").touch()
    assert files.names(tmp_path) == ["file"]
    with pytest.raises(KeyFileError, match="cannot be read"):
        files.names(tmp_path / "file")


@posix
@pytest.mark.parametrize("bits", [0o770, 0o720, 0o702, 0o777])
def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path, bits: int) -> None:
    folder = tmp_path / "keys"
    folder.mkdir()
    folder.chmod(bits)
    for check in (files.check_folder, files.make_folder):
        with pytest.raises(KeyFileError, match=f"chmod 700 {folder}"):
            check(folder)
    folder.chmod(0o755)
    files.check_folder(folder)


@posix
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    folder = Path("/etc")
    if os.geteuid() == 0:
        folder = tmp_path / "foreign"
        folder.mkdir()
        os.chown(folder, 12345, -1)
    with pytest.raises(KeyFileError, match=r"belongs to user \d+"):
        files.check_folder(folder)


def test_an_absent_folder_is_no_fault(tmp_path: Path) -> None:
    files.check_folder(tmp_path / "absent")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_a_fault_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFault, match="cannot make the folder"):
        files.make_folder(tmp_path / "file" / "keys")


def test_checking_that_a_folder_can_be_made_does_not_make_it(tmp_path: Path) -> None:
    files.check_writable(tmp_path)
    files.check_writable(tmp_path / "a" / "b")
    assert os.listdir(tmp_path) == []
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFault, match="cannot be written to"):
        files.check_writable(tmp_path / "file" / "keys")


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "k.pem").mkdir()
    for write in (files.write_private, files.write_public):
        with pytest.raises(EnvironmentFault, match="cannot be written"):
            write(tmp_path / "k.pem", b"data")
        with pytest.raises(EnvironmentFault, match="cannot be written"):
            write(tmp_path / "absent" / "k.pem", b"data")
    assert os.listdir(tmp_path) == ["k.pem"]


def test_a_write_replaces_in_one_step_and_follows_no_link(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"untouched")
    (tmp_path / "current").symlink_to(target)
    files.write_public(tmp_path / "current", b"new")
    assert target.read_bytes() == b"untouched"
    assert (tmp_path / "current").read_bytes() == b"new"
    assert not (tmp_path / "current").is_symlink()


@posix
def test_a_public_file_of_another_user_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match=r"belongs to user \d+"):
        files.read_public(foreign(tmp_path))


@posix
@pytest.mark.parametrize("bits", [0o620, 0o602, 0o666])
def test_a_public_file_that_others_can_write_to_is_refused(secret: Path, bits: int) -> None:
    secret.chmod(bits)
    with pytest.raises(KeyFileError, match=rf"mode {bits:04o} lets others change .*chmod 600 {secret}"):
        files.read_public(secret)
    secret.chmod(0o644)
    assert files.read_public(secret) == b"secret"


@posix
@pytest.mark.parametrize("bits", [0o750, 0o701, 0o755])
def test_a_folder_that_others_can_enter_is_not_private(tmp_path: Path, bits: int) -> None:
    folder = tmp_path / "keys"
    folder.mkdir()
    folder.chmod(bits)
    files.check_folder(folder)
    with pytest.raises(KeyFileError, match=f"can enter .*chmod 700 {folder}"):
        files.check_folder(folder, private=True)
    folder.chmod(0o700)
    files.check_folder(folder, private=True)


@posix
def test_one_at_a_time_holds_a_folder(tmp_path: Path) -> None:
    """Eight processes add one to a number sixteen times; none of the steps is lost."""
    number = tmp_path / "number"
    number.write_text("0")
    code = (
        "import sys\nfrom pathlib import Path\nfrom passfloor.keys.files import locked\n"
        "number = Path(sys.argv[1])\n"
        "for _ in range(16):\n"
        "    with locked(number.parent):\n"
        "        number.write_text(str(int(number.read_text()) + 1))\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, number]) for _ in range(8)]
    assert [each.wait(timeout=120) for each in running] == [0] * 8
    assert number.read_text() == "128"


@posix
def test_a_folder_that_is_not_there_cannot_be_held(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="cannot be locked"), files.locked(tmp_path / "absent"):
        pass
