"""One long file of tests in each language, of as many tests as wanted, no two of them alike in their numbers."""

from dataclasses import dataclass

_JAVASCRIPT = """
function checkShares@N@(shares, total) {
  expect(shares.length).toBe(@N@3);
  expect(shares.reduce((a, b) => a + b)).toBe(total);
}

describe('orders @N@', () => {
  it.each([
    [1, @N@100, @N@100],
    [2, @N@250, @N@500],
  ])('of %i lines', (count, cents, expected) => {
    expect(total([[count, cents]])).toBe(expected);
  });

  it('takes the discount', () => {
    const order = { lines: [[2, @N@100000]], discount: 0.1 };
    expect(total(order.lines, order)).toBeCloseTo(@N@180000, 1);
  });

  it('gives the rest to the first', async () => {
    const shares = await split(@N@10, 3);
    expect(shares[0]).toBe(@N@4);
    checkShares@N@(shares, @N@10);
  });

  it('lists what is left', () => {
    for (const [name, left] of [['a', @N@1], ['b', @N@2]]) {
      if (left > 0) {
        expect(stock.left(name)).toEqual(left);
      }
    }
  });

  it('needs parts', () => {
    expect(() => split(@N@1, 0)).toThrow(RangeError);
  });
});
"""
_GO = """
func checkShares@N@(t *testing.T, shares []int, total int) {
	t.Helper()
	if len(shares) != @N@3 {
		t.Fatalf("got %v", shares)
	}
	assert.Equal(t, total, Sum(shares))
}

func TestTotal@N@(t *testing.T) {
	tests := []struct {
		name  string
		cents int
		want  int
	}{
		{"one", @N@100, @N@100},
		{"two", @N@250, @N@500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Total(tt.cents); got != tt.want {
				t.Errorf("Total(%d) = %d, want %d", tt.cents, got, tt.want)
			}
		})
	}
}

func TestDiscount@N@(t *testing.T) {
	order := Order{Lines: 2, Cents: @N@100000, Discount: 0.1}
	assert.InDelta(t, @N@180000, TotalOf(order), 1)
}

func TestSplitRest@N@(t *testing.T) {
	shares, err := Split(@N@10, 3)
	if err != nil {
		t.Fatal(err)
	}
	if shares[0] != @N@4 {
		t.Errorf("got %d, want @N@4", shares[0])
	}
	checkShares@N@(t, shares, @N@10)
}

func TestLeft@N@(t *testing.T) {
	for _, left := range []int{@N@1, @N@2} {
		require.Equal(t, left, Left(left))
	}
}

func TestNoParts@N@(t *testing.T) {
	if _, err := Split(@N@1, 0); err == nil {
		t.Error("no error for no parts")
	}
}
"""
_JAVA = """
    private void checkShares@N@(List<Integer> shares, int total) {
        assertEquals(@N@3, shares.size());
        assertThat(shares.stream().mapToInt(Integer::intValue).sum()).isEqualTo(total);
    }

    @ParameterizedTest
    @CsvSource({"1, @N@100, @N@100", "2, @N@250, @N@500"})
    void totalOfOneLine@N@(int count, int cents, int expected) {
        assertEquals(expected, Shop.total(count, cents));
    }

    @Test
    void discount@N@() {
        Order order = new Order(2, @N@100000).withDiscount(0.1);
        assertEquals(@N@180000.0, order.total(), 1.0);
    }

    @Test
    void givesTheRestToTheFirst@N@() throws Exception {
        List<Integer> shares = Shop.split(@N@10, 3);
        assertThat(shares.get(0)).isNotNull().isEqualTo(@N@4);
        checkShares@N@(shares, @N@10);
    }

    @Test
    void listsWhatIsLeft@N@() {
        for (int left : List.of(@N@1, @N@2)) {
            if (left > 0) {
                assertEquals(left, stock.left(left));
            }
        }
    }

    @Test
    void needsParts@N@() {
        assertThrows(ArithmeticException.class, () -> Shop.split(@N@1, 0));
    }
"""
_KOTLIN = """
    private fun checkShares@N@(shares: List<Int>, total: Int) {
        assertEquals(@N@3, shares.size)
        assertThat(shares.sum()).isEqualTo(total)
    }

    @ParameterizedTest
    @CsvSource("1, @N@100, @N@100", "2, @N@250, @N@500")
    fun totalOfOneLine@N@(count: Int, cents: Int, expected: Int) {
        assertEquals(expected, Shop.total(count, cents))
    }

    @Test
    fun discount@N@() {
        val order = Order(2, @N@100000).withDiscount(0.1)
        assertEquals(@N@180000.0, order.total(), 1.0)
    }

    @Test
    fun givesTheRestToTheFirst@N@() {
        val shares = Shop.split(@N@10, 3)
        assertThat(shares.first()).isEqualTo(@N@4)
        checkShares@N@(shares, @N@10)
    }

    @Test
    fun listsWhatIsLeft@N@() {
        for (left in listOf(@N@1, @N@2)) {
            if (left > 0) {
                assertEquals(left, stock.left(left))
            }
        }
    }

    @Test
    fun needsParts@N@() {
        assertThrows<ArithmeticException> { Shop.split(@N@1, 0) }
    }
"""
_CSHARP = """
        private void CheckShares@N@(List<int> shares, int total)
        {
            Assert.Equal(@N@3, shares.Count);
            shares.Sum().Should().Be(total);
        }

        [Theory]
        [InlineData(1, @N@100, @N@100)]
        [InlineData(2, @N@250, @N@500)]
        public void TotalOfOneLine@N@(int count, int cents, int expected)
        {
            Assert.Equal(expected, Orders.Total(count, cents));
        }

        [Fact]
        public void Discount@N@()
        {
            var order = new Order(2, @N@100000).WithDiscount(0.1);
            Assert.Equal(@N@180000.0, order.Total(), 1);
        }

        [Fact]
        public async Task GivesTheRestToTheFirst@N@()
        {
            var shares = await Orders.Split(@N@10, 3);
            shares[0].Should().Be(@N@4);
            CheckShares@N@(shares, @N@10);
        }

        [Fact]
        public void ListsWhatIsLeft@N@()
        {
            foreach (var left in new[] { @N@1, @N@2 })
            {
                if (left > 0)
                {
                    Assert.Equal(left, stock.Left(left));
                }
            }
        }

        [Fact]
        public void NeedsParts@N@()
        {
            Assert.Throws<DivideByZeroException>(() => Orders.Split(@N@1, 0));
        }
"""
_RUST = """
fn check_shares_@N@(shares: &[u32], total: u32) {
    assert_eq!(shares.len(), @N@3);
    assert_eq!(shares.iter().sum::<u32>(), total, "nothing is lost");
}

#[rstest]
#[case(1, @N@100, @N@100)]
#[case(2, @N@250, @N@500)]
fn total_of_lines_@N@(#[case] count: u32, #[case] cents: u32, #[case] expected: u32) {
    assert_eq!(total(count, cents), expected);
}

#[test]
fn discount_@N@() {
    let order = Order::new(2, @N@100_000).with_discount(0.1);
    assert!((order.total() - @N@180_000.0).abs() < 1.0);
}

#[test]
fn gives_the_rest_to_the_first_@N@() {
    let shares = split(@N@10, 3).unwrap();
    assert_eq!(shares[0], @N@4);
    check_shares_@N@(&shares, @N@10);
}

#[test]
fn lists_what_is_left_@N@() {
    for left in [@N@1, @N@2] {
        if left > 0 {
            assert_eq!(stock().left(left), left);
        }
    }
}

#[test]
#[should_panic(expected = "no parts")]
fn needs_parts_@N@() {
    split(@N@1, 0).unwrap();
}
"""
_RUBY = """
  def check_shares_@N@(shares, total)
    expect(shares.size).to eq(@N@3)
    expect(shares.sum).to eq(total)
  end

  [[1, @N@100, @N@100], [2, @N@250, @N@500]].each do |count, cents, expected|
    it "sums #{count} lines of @N@" do
      expect(shop.total(count, cents)).to eq(expected)
    end
  end

  it 'takes the discount of @N@' do
    order = Order.new(2, @N@100_000).with_discount(0.1)
    expect(order.total).to be_within(1).of(@N@180_000)
  end

  it 'gives the rest to the first of @N@' do
    shares = shop.split(@N@10, 3)
    expect(shares.first).to eq(@N@4)
    check_shares_@N@(shares, @N@10)
  end

  it 'lists what is left of @N@' do
    [@N@1, @N@2].each do |left|
      expect(stock.left(left)).to eq(left) if left > 0
    end
  end

  it 'needs parts of @N@' do
    expect { shop.split(@N@1, 0) }.to raise_error(ZeroDivisionError)
  end
"""
_PHP = """
    private function checkShares@N@(array $shares, int $total): void
    {
        $this->assertCount(@N@3, $shares);
        $this->assertSame($total, array_sum($shares));
    }

    #[TestWith([1, @N@100, @N@100])]
    #[TestWith([2, @N@250, @N@500])]
    public function testTotalOfOneLine@N@(int $count, int $cents, int $expected): void
    {
        $this->assertSame($expected, $this->shop->total($count, $cents));
    }

    public function testDiscount@N@(): void
    {
        $order = (new Order(2, @N@100000))->withDiscount(0.1);
        $this->assertEqualsWithDelta(@N@180000.0, $order->total(), 1.0);
    }

    public function testGivesTheRestToTheFirst@N@(): void
    {
        $shares = $this->shop->split(@N@10, 3);
        $this->assertSame(@N@4, $shares[0]);
        $this->checkShares@N@($shares, @N@10);
    }

    public function testListsWhatIsLeft@N@(): void
    {
        foreach ([@N@1, @N@2] as $left) {
            if ($left > 0) {
                $this->assertSame($left, $this->stock->left($left));
            }
        }
    }

    public function testNeedsParts@N@(): void
    {
        $this->expectException(DivisionByZeroError::class);
        $this->shop->split(@N@1, 0);
    }
"""
_SWIFT = """
    private func checkShares@N@(_ shares: [Int], _ total: Int) {
        XCTAssertEqual(shares.count, @N@3)
        XCTAssertEqual(shares.reduce(0, +), total)
    }

    func testTotalOfLines@N@() {
        for (cents, expected) in [(@N@100, @N@100), (@N@250, @N@500)] {
            XCTAssertEqual(total(cents), expected)
        }
    }

    func testDiscount@N@() {
        let order = Order(2, @N@100000).with(discount: 0.1)
        XCTAssertEqual(order.total(), @N@180000.0, accuracy: 1.0)
    }

    func testGivesTheRestToTheFirst@N@() throws {
        let shares = try split(@N@10, 3)
        XCTAssertEqual(shares[0], @N@4)
        checkShares@N@(shares, @N@10)
    }

    func testListsWhatIsLeft@N@() {
        for left in [@N@1, @N@2] {
            if left > 0 {
                XCTAssertEqual(stock.left(left), left)
            }
        }
    }

    func testNeedsParts@N@() {
        XCTAssertThrowsError(try split(@N@1, 0))
    }
"""
_PYTHON = """

def check_shares_@N@(shares, total):
    assert len(shares) == @N@3
    assert sum(shares) == total


@pytest.mark.parametrize(
    ("count", "cents", "expected"),
    [(1, @N@100, @N@100), (2, @N@250, @N@500)],
)
def test_total_of_one_line_@N@(count, cents, expected):
    assert total([(count, cents)]) == expected


def test_discount_@N@():
    order = Order(2, @N@100_000).with_discount(0.1)
    assert order.total() == pytest.approx(@N@180_000, abs=1)


def test_gives_the_rest_to_the_first_@N@(shop):
    shares = shop.split(@N@10, 3)
    assert shares[0] == @N@4
    check_shares_@N@(shares, @N@10)


def test_lists_what_is_left_@N@(stock):
    for left in [@N@1, @N@2]:
        if left > 0:
            assert stock.left(left) == left


def test_needs_parts_@N@(shop):
    with pytest.raises(ZeroDivisionError):
        shop.split(@N@1, 0)
"""
TESTS_IN_PIECE = 5


@dataclass(frozen=True, slots=True)
class LongTests:
    """What a long file of tests of a language is made of."""

    start: str
    piece: str
    end: str = ""

    def text(self, tests: int, first: int = 1) -> str:
        """A file with as many tests, whose numbers begin at ``first``."""
        pieces = tests // TESTS_IN_PIECE
        body = "".join(self.piece.replace("@N@", str(n)) for n in range(first, first + pieces))
        return self.start + body + self.end


LONG_TESTS = {
    "python": LongTests("import pytest\n\nfrom shop import Order, total\n", _PYTHON),
    "javascript": LongTests("const { split, total } = require('../src/orders');\n", _JAVASCRIPT),
    "typescript": LongTests("import { split, total } from '../src/orders';\n", _JAVASCRIPT),
    "go": LongTests(
        'package shop\n\nimport (\n\t"testing"\n\n\t"github.com/stretchr/testify/assert"\n'
        '\t"github.com/stretchr/testify/require"\n)\n',
        _GO,
    ),
    "java": LongTests(
        "package shop;\n\nimport static org.assertj.core.api.Assertions.assertThat;\n"
        "import static org.junit.jupiter.api.Assertions.*;\n\nimport org.junit.jupiter.api.Test;\n\n"
        "class OrdersTest {\n",
        _JAVA,
        "}\n",
    ),
    "kotlin": LongTests("package shop\n\nimport kotlin.test.*\n\nclass OrdersTest {\n", _KOTLIN, "}\n"),
    "csharp": LongTests(
        "using FluentAssertions;\nusing Xunit;\n\nnamespace Shop.Tests\n{\n    public class OrdersTests\n    {\n",
        _CSHARP,
        "    }\n}\n",
    ),
    "rust": LongTests("use rstest::rstest;\nuse shop::{split, total, Order};\n", _RUST),
    "ruby": LongTests(
        "require 'spec_helper'\n\nRSpec.describe Shop do\n  subject(:shop) { described_class.new }\n",
        _RUBY,
        "end\n",
    ),
    "php": LongTests(
        "<?php\n\nuse PHPUnit\\Framework\\TestCase;\n\nfinal class OrdersTest extends TestCase\n{\n", _PHP, "}\n"
    ),
    "swift": LongTests(
        "import XCTest\n@testable import Shop\n\nfinal class OrdersTests: XCTestCase {\n", _SWIFT, "}\n"
    ),
}
